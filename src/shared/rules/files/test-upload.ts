/** The largest test upload of the administrator, in bytes. */
export const maxTestUploadSize = 10 * 1024 * 1024
