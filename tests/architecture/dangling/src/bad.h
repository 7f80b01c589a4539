// As §1 and C1.1 say, glTF 2.0 (§3.7.2) and RFC 3986, section 2.1; C5_U is a name. Not §2, C1.3 or §1.5.
// Nor editing.md, nor ../shared/design/style.md.
