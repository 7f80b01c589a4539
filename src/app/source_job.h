#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/jobs.h"
#include "core/result.h"

namespace pelt::app {

/// Finds in the background by what a session knows its character's file again: of half a gigabyte that takes longer
/// than a picture may. To be used by one thread.
class SourceJob {
 public:
  /// formats::source_hash(), or what a test has in its place. Called on threads of the queue alone.
  using Hash = std::function<Result<std::string>(const std::string& name, std::span<const StampedFile> beside)>;

  explicit SourceJob(std::shared_ptr<Jobs> jobs);
  SourceJob(std::shared_ptr<Jobs> jobs, Hash hash);

  /// A file as it was when it was read.
  struct File {
    std::string name;                      ///< path or "@mannequin"
    std::optional<FileStamp> stamp = {};   ///< of a path
    std::vector<StampedFile> beside = {};  ///< that were read with it
  };
  /// Its hash, or why there is none; nothing while it is being found, which the first call for a file begins. A file
  /// that is not as it was read, before or after it is looked at, has a hash that fits none.
  std::optional<Result<std::string>> hash_of(const File& file);
  /// Asks the work to stop; the next call begins anew.
  void cancel();

  [[nodiscard]] const JobSlot<Result<std::string>>& slot() const { return slot_; }

 private:
  Hash hash_;
  JobSlot<Result<std::string>> slot_;
  std::optional<File> wanted_;
  std::optional<Result<std::string>> found_;  ///< of that file
};

}  // namespace pelt::app
