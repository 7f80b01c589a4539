#pragma once

namespace pelt {

/// For a process that makes one large thing and ends: memory comes from one block that the system fills by pages of
/// megabytes where it offers them (Linux with glibc), instead of asking for each four kilobytes at its first use. Does
/// nothing elsewhere, and where the address space is limited. Call once, before threads.
void prefer_huge_pages();

}  // namespace pelt
