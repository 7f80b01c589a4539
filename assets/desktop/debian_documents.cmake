# Run by CPack when the files of the package lie in their folder: adds what Debian asks of every package.
set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/pelt)

# The licence, and the licences of what becomes a part of the program: fonts, static libraries, libraries of headers.
file(READ ${CPACK_PELT_SOURCE_DIR}/LICENSE copyright)
foreach(package IN ITEMS fonts-inter fonts-font-awesome fonts-dejavu-core libimgui-dev libcli11-dev libfmt-dev libglm-dev
                         nlohmann-json3-dev python3-glad)
  set(file /usr/share/doc/${package}/copyright)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} is missing: the package must carry the licences of what the program contains")
  endif()
  file(READ ${file} text)
  string(APPEND copyright "\n\nThe program contains parts of the Debian package ${package}:\n\n${text}")
endforeach()
file(WRITE ${folder}/copyright "${copyright}")

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${folder}/changelog
  "pelt (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * Built from the sources.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
execute_process(COMMAND gzip -9 -n -f ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(CHMOD ${folder}/copyright ${folder}/changelog.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
