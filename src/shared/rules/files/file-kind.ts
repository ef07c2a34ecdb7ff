/** The kinds of files that the analytics distinguish (spec §2). */
export const fileKinds = ['image', 'video', 'audio', 'pdf', 'archive', 'document', 'other'] as const
export type FileKind = (typeof fileKinds)[number]

const labels: Readonly<Record<FileKind, string>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  pdf: 'PDF',
  archive: 'Archive',
  document: 'Document',
  other: 'File',
}

/** Returns the name to display for a file of this kind. */
export function kindLabel(kind: FileKind): string {
  return labels[kind]
}

/**
 * Patterns for media types in lower case, without parameters. The first match wins. Database
 * queries use the patterns too, so they must have the same meaning in Postgres.
 */
export const typePatterns: readonly [RegExp, FileKind][] = [
  [/^image\//, 'image'],
  [/^video\//, 'video'],
  [/^audio\//, 'audio'],
  [/^application\/(x-)?pdf$/, 'pdf'],
  [
    /^application\/((x-)?(zip|zip-compressed|7z-compressed|rar|rar-compressed|tar|gtar|gzip|gzip-compressed|compress|compressed|compressed-tar|bzip|bzip2|xz|lzip|lzma|lz4|zstd|brotli|java-archive|iso9660-image|apple-diskimage|cpio|stuffit)|vnd\.rar|vnd\.ms-cab-compressed)$/,
    'archive',
  ],
  [/^text\//, 'document'],
  [
    /^application\/(msword|(x-|vnd\.ms-)?(excel|powerpoint|word)([^a-z0-9_].*)?|vnd\.ms-(works|project|xpsdocument|outlook)|vnd\.openxmlformats-officedocument\..+|vnd\.oasis\.opendocument\..+|vnd\.sun\.xml\..+|vnd\.apple\.(pages|numbers|keynote)|rtf|epub\+zip|x-mobipocket-ebook|x-(la)?tex|postscript|(.+\+)?(json|xml)|(x-)?yaml)$/,
    'document',
  ],
]

/**
 * File extensions in lower case. Used for files whose media type matches none of the patterns
 * above.
 */
const extensions: Readonly<Record<Exclude<FileKind, 'other'>, string>> = {
  image:
    'jpg jpeg jfif png apng gif webp avif heic heif bmp tif tiff svg ico jxl psd raw dng cr2 nef arw',
  video: 'mp4 m4v mov mkv webm avi wmv flv mpg mpeg m2ts mts 3gp ogv',
  audio: 'mp3 m4a aac wav flac ogg oga opus wma aif aiff mid midi amr',
  pdf: 'pdf',
  archive:
    'zip 7z rar tar gz tgz bz2 tbz2 xz txz zst tzst lz lz4 lzma br z cab jar iso dmg cpio sit',
  document:
    'doc docx docm dot dotx xls xlsx xlsm xlsb ppt pptx pptm pps ppsx odt ods odp odg rtf pages numbers key epub mobi txt text md markdown csv tsv log tex html htm xml json yaml yml ps eml msg',
}

/** Each kind with its file extensions, in lower case. */
export const extensionsByKind: readonly (readonly [FileKind, readonly string[]])[] = (
  Object.keys(extensions) as (keyof typeof extensions)[]
).map((kind) => [kind, extensions[kind].split(' ')])

const kindByExtension: ReadonlyMap<string, FileKind> = new Map(
  extensionsByKind.flatMap(([kind, kindExtensions]) =>
    kindExtensions.map((extension) => [extension, kind] as const),
  ),
)

/**
 * Returns the kind of a file by its media type, or by its extension if the media type is missing,
 * generic or unknown.
 */
export function fileKind(file: { mimeType: string; originalName: string }): FileKind {
  const type = file.mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const matchingPattern = typePatterns.find(([pattern]) => pattern.test(type))
  if (matchingPattern) return matchingPattern[1]
  const extension = /[^.]\.([^.]+)$/.exec(file.originalName)?.[1]?.toLowerCase() ?? ''
  return kindByExtension.get(extension) ?? 'other'
}

/** A media type as defined in RFC 9110, without parameters. */
export const mediaTypePattern = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/

/** Maximum length of a media type, in characters. */
export const maxMediaTypeLength = 255

/** True if the server accepts this media type. */
export function isMediaType(text: string): boolean {
  return text.length <= maxMediaTypeLength && mediaTypePattern.test(text)
}
