#include "render/gpu_timer.h"

#include "core/expect.h"

namespace pelt::render {

void GpuTimer::begin() {
  PELT_EXPECT(!running_, "end() comes before the next begin()");
  if (begun_ - read_ >= kInFlight) {
    return;
  }
  Query& query = queries_[begun_ % kInFlight];
  if (!query) {
    query = Query::make();
  }
  glBeginQuery(GL_TIME_ELAPSED, query.id());
  running_ = true;
}

void GpuTimer::end() {
  if (running_) {
    glEndQuery(GL_TIME_ELAPSED);
    running_ = false;
    ++begun_;
  }
}

double GpuTimer::milliseconds() {
  while (read_ < begun_) {
    const GLuint query = queries_[read_ % kInFlight].id();
    GLuint available = GL_FALSE;
    glGetQueryObjectuiv(query, GL_QUERY_RESULT_AVAILABLE, &available);
    if (available == GL_FALSE) {
      break;
    }
    GLuint64 nanoseconds = 0;
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &nanoseconds);
    milliseconds_ = static_cast<double>(nanoseconds) * 1e-6;
    ++read_;
  }
  return milliseconds_;
}

}  // namespace pelt::render
