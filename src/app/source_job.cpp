#include "app/source_job.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "formats/source_hash.h"

namespace pelt::app {
namespace {

constexpr const char* kNoLonger = "unknown: it had changed when the session was saved";

bool is_as_read(const SourceJob::File& file) {
  return file.name.starts_with('@') ||
         (file_stamp(file.name) == file.stamp && std::ranges::all_of(file.beside, [](const StampedFile& other) {
            return file_stamp(other.path) == other.stamp;
          }));
}

}  // namespace

SourceJob::SourceJob(std::shared_ptr<Jobs> jobs) : SourceJob(std::move(jobs), formats::source_hash) {}

SourceJob::SourceJob(std::shared_ptr<Jobs> jobs, Hash hash)
    : hash_(std::move(hash)), slot_(std::move(jobs), Jobs::Kind::kAsked, "Saving") {}

std::optional<Result<std::string>> SourceJob::hash_of(const File& file) {
  if (std::optional<Result<std::string>> done = slot_.take()) {
    found_ = std::move(done);
  }
  const bool is_same = wanted_ && wanted_->name == file.name && wanted_->stamp == file.stamp;
  if (is_same && found_) {
    return found_;
  }
  if (is_same && slot_.failed()) {
    wanted_.reset();
    return error("not enough memory to read '{}'", file.name);
  }
  if (is_same) {
    return std::nullopt;
  }
  wanted_ = file;
  found_.reset();
  std::string name = "Saving: reading " + std::filesystem::path(file.name).filename().string();
  slot_.start(std::move(name), [file, hash = hash_](const Progress&) -> std::optional<Result<std::string>> {
    if (!is_as_read(file)) {
      return Result<std::string>(kNoLonger);
    }
    Result<std::string> found = hash(file.name, file.beside);
    return is_as_read(file) ? std::move(found) : Result<std::string>(kNoLonger);
  });
  return std::nullopt;
}

void SourceJob::cancel() {
  slot_.cancel();
  wanted_.reset();
  found_.reset();
}

}  // namespace pelt::app
