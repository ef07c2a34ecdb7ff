export const maxFilesPerLink = 1000
export const maxFilesPerPage = 2 * maxFilesPerLink
export const maxLinkTitleLength = 200
export const maxLinkMessageLength = 2000
export const maxLinkPasswordLength = 128
export const maxDownloadLimit = 1_000_000
