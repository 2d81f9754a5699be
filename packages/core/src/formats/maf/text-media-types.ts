/** Media types by file extension: the table of dotnet/extensions (MediaTypeMap), read through its package 10.11, 2026-11-30. */

/** By top-level type: the rest of a type, then its extensions. */
const table: { readonly [topLevel: string]: string } = {
  video:
    "3gpp2 3g2 3gp2|3gpp 3gp 3gpp|x-ms-asf asf asr asx nsc|x-msvideo avi|x-ms-dvr dvr-ms|x-flv flv|x-ivf ivf|" +
    "x-la-asf lsf lsx|mpeg m1v mp2 mpa mpe mpeg mpg mpv2|vnd.dlna.mpeg-tts m2t m2ts tts|mp4 m4v mp4 mp4v|" +
    "x-matroska mkv|quicktime mov qt|x-sgi-movie movie|mp2t mts|ogg ogv|webm webm|x-ms-wm wm|x-ms-wmp wmp|" +
    "x-ms-wmv wmv|x-ms-wmx wmx|x-ms-wtv wtv|x-ms-wvx wvx",
  application:
    "x-7z-compressed 7z|x-abiword abw|msaccess accdb accde accdt|postscript ai eps ps|" +
    "vnd.android.package-archive apk|x-ms-application application|x-freearc arc|atom+xml atom|" +
    "vnd.amazon.ebook azw|x-bcpio bcpio|brotli br|x-bzip bz|x-bzip2 bz2|vnd.ms-cab-compressed cab|" +
    "vnd.ms-office.calx calx|vnd.ms-pki.seccat cat|cbor cbor|x-cdf cdf|x-x509-ca-cert cer crt der|" +
    "java-vm class|x-msclip clp|x-cpio cpio|x-mscardfile crd|pkix-crl crl|x-csh csh|x-cue cue|" +
    "x-sqlite3 db sqlite sqlite3|x-dbf dbf|x-director dcr dir dxr|vnd.debian.binary-package deb|" +
    "x-apple-diskimage dmg|msword doc dot|vnd.ms-word.document.macroEnabled.12 docm|" +
    "vnd.openxmlformats-officedocument.wordprocessingml.document docx|" +
    "vnd.ms-word.template.macroEnabled.12 dotm|" +
    "vnd.openxmlformats-officedocument.wordprocessingml.template dotx|xml-dtd dtd|x-dvi dvi|" +
    "vnd.ms-fontobject eot|epub+zip epub|vnd.fdf fdf|geo+json geojson|gpx+xml gpx|graphql graphql|" +
    "x-gtar gtar|gzip gz|x-hdf hdf|x-oleobject hhc|winhlp hlp|mac-binhex40 hqx|hta hta|x-hwp hwp|" +
    "x-internet-signup ins isp|x-iso9660-image iso|java-archive jar|json json|x-ndjson jsonl ndjson|" +
    "ld+json jsonld|vnd.apple.keynote key|vnd.google-earth.kml+xml kml|vnd.google-earth.kmz kmz|" +
    "x-latex latex|x-ms-reader lit|vnd.lotus-wordpro lwp|x-msmediaview m13 m14 mvb|vnd.apple.mpegurl m3u8|" +
    "x-troff-man man|x-ms-manifest manifest|x-msaccess mdb|x-troff-me me|x-smaf mmf|x-msmoney mny|" +
    "dash+xml mpd|vnd.apple.installer+xml mpkg|vnd.ms-project mpp|x-miva-compiled mvc|x-netcdf nc|" +
    "vnd.apple.numbers numbers|zip nupkg snupkg zip|oda oda|vnd.oasis.opendocument.formula odf|" +
    "vnd.oasis.opendocument.graphics odg|vnd.oasis.opendocument.presentation odp|" +
    "vnd.oasis.opendocument.spreadsheet ods|vnd.oasis.opendocument.text odt|ogg ogx|" +
    "onenote one onea onepkg onetmp onetoc onetoc2|opensearchdescription+xml osdx|pkcs10 p10|" +
    "x-pkcs12 p12 pfx|x-pkcs7-certificates p7b spc|pkcs7-mime p7c p7m|x-pkcs7-certreqresp p7r|" +
    "pkcs7-signature p7s|vnd.apple.pages pages|vnd.apache.parquet parquet|pdf pdf|x-pem-file pem|" +
    "x-httpd-php php|vnd.ms-pki.pko pko|x-perfmon pma pmc pml pmr pmw|vnd.ms-powerpoint pot pps ppt|" +
    "vnd.ms-powerpoint.template.macroEnabled.12 potm|" +
    "vnd.openxmlformats-officedocument.presentationml.template potx|" +
    "vnd.ms-powerpoint.addin.macroEnabled.12 ppam|vnd.ms-powerpoint.slideshow.macroEnabled.12 ppsm|" +
    "vnd.openxmlformats-officedocument.presentationml.slideshow ppsx|" +
    "vnd.ms-powerpoint.presentation.macroEnabled.12 pptm|" +
    "vnd.openxmlformats-officedocument.presentationml.presentation pptx|powershell ps1|x-mspublisher pub|" +
    "x-quicktimeplayer qtl|vnd.rar rar|x-troff roff tr|x-rpm rpm|rss+xml rss|rtf rtf|x-msschedule scd|" +
    "vnd.stardivision.draw sda|vnd.stardivision.impress sdd|vnd.stardivision.writer sdw|" +
    "set-payment-initiation setpay|set-registration-initiation setreg|x-sh sh|x-shar shar|x-stuffit sit|" +
    "vnd.ms-powerpoint.slide.macroEnabled.12 sldm|" +
    "vnd.openxmlformats-officedocument.presentationml.slide sldx|sql sql|x-wais-source src|" +
    "vnd.ms-pki.certstore sst|vnd.sun.xml.impress.template sti|vnd.sun.xml.writer.template stw|" +
    "x-sv4cpio sv4cpio|x-sv4crc sv4crc|x-shockwave-flash swf|vnd.sun.xml.writer.global sxg|" +
    "vnd.sun.xml.impress sxi|vnd.sun.xml.writer sxw|x-tar tar|x-tcl tcl|x-tex tex|x-texinfo texi texinfo|" +
    "x-compressed tgz|vnd.ms-officetheme thmx|toml toml|x-msterminal trm|x-ustar ustar|" +
    "vnd.ms-visio.viewer vdx|vnd.visio vsd vss vst vsw vsx vtx|x-ms-vsto vsto|wasm wasm|" +
    "vnd.ms-works wcm wdb wks wps|manifest+json webmanifest|x-ms-wmd wmd|x-msmetafile wmf|x-ms-wmz wmz|" +
    "vnd.wordperfect wpd|x-mswrite wri|xaml+xml xaml|xhtml+xml xht xhtml|" +
    "vnd.ms-excel xla xlc xlm xls xlt xlw|vnd.ms-excel.addin.macroEnabled.12 xlam|" +
    "vnd.ms-excel.sheet.binary.macroEnabled.12 xlsb|vnd.ms-excel.sheet.macroEnabled.12 xlsm|" +
    "vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx|vnd.ms-excel.template.macroEnabled.12 xltm|" +
    "vnd.openxmlformats-officedocument.spreadsheetml.template xltx|xml xml|vnd.ms-xpsdocument xps|" +
    "vnd.mozilla.xul+xml xul|yaml yaml yml|x-compress z|zstd zst",
  audio:
    "aac aac|vnd.dlna.adts adt adts|x-aiff aif|aifc aifc|aiff aiff|basic au snd|flac flac|x-mpegurl m3u|" +
    "mp4 m4a|midi mid midi|x-matroska mka|mpeg mp3|ogg oga ogg spx|opus opus|mid rmi|wav wav|x-ms-wax wax|" +
    "webm weba|x-ms-wma wma",
  image:
    "apng apng|avif avif|bmp bmp dib|cgm cgm|x-cmx cmx|gif gif|heic heic|heif heif|vnd.microsoft.icon ico|" +
    "ief ief|jpeg jfif jpe jpeg jpg|jxl jxl|x-portable-bitmap pbm|x-portable-graymap pgm|png png pnz|" +
    "x-portable-anymap pnm|x-portable-pixmap ppm|x-cmu-raster ras|x-rgb rgb|svg+xml svg svgz|tiff tif tiff|" +
    "vnd.wap.wbmp wbmp|webp webp|x-xbitmap xbm|x-xpixmap xpm|x-xwindowdump xwd",
  text:
    "cache-manifest appcache|plain asm bas c cnf config cpp h ini log sln txt xdr|javascript cjs js mjs|" +
    "x-csharp cs|xml csproj disco mno vml wsdl xsd xsf xsl xslt|css css|csv csv|typescript cts ts|" +
    "x-dart dart|x-setext etx|x-go go|x-component htc|html htm html|calendar ical icalendar ics ifb|" +
    "x-java-source java|jsx jsx|x-kotlin kt kts|x-less less|markdown markdown md|mdx mdx|x-ms-odc odc|" +
    "x-perl pl pm|x-protobuf proto|x-python py pyi pyw|x-rust rs|richtext rtx|x-sass sass|x-scss scss|" +
    "scriptlet sct|sgml sgml|vnd.sylk slk sylk|svelte svelte|x-swift swift|tab-separated-values tsv|tsx tsx|" +
    "vbscript vbs|vcard vcf|x-vcalendar vcs|vtt vtt|vue vue",
  drawing: "x-dwf dwf",
  message: "rfc822 eml mht mhtml nws",
  model: "gltf-binary glb|gltf+json gltf|stl stl",
  font: "otf otf|collection ttc|ttf ttf|woff woff|woff2 woff2",
};

let types: ReadonlyMap<string, string> | undefined;

function readTable(): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const [topLevel, rows] of Object.entries(table)) {
    for (const row of rows.split("|")) {
      const [subtype = "", ...extensions] = row.split(" ");
      for (const extension of extensions) read.set(extension, `${topLevel}/${subtype}`);
    }
  }
  return read;
}

/** The media type of a file extension, without its dot, in any case. */
export function mediaTypeOfExtension(extension: string): string | undefined {
  types ??= readTable();
  return types.get(extension.toLowerCase());
}
