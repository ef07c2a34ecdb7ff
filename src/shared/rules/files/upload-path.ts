/**
 * Where an upload shows its progress (spec §4): on the page (foreground) or in the uploads panel
 * (background).
 */
export const uploadPaths = ['foreground', 'background'] as const
export type UploadPath = (typeof uploadPaths)[number]

/** Spec §9: any file over 50MB is uploaded in the background. */
const backgroundThresholdBytes = 50 * 1024 ** 2
const mobileUserAgent = /Android|webOS|iPhone|iPad|iPod|BlackBerry|IEMobile|Opera Mini|Mobile/i

/**
 * Returns the upload path for files that were added at the same time (spec §4): background if any
 * file exceeds 50MB or the user agent is a mobile device, otherwise foreground. `size` is in bytes.
 */
export function uploadPath(files: readonly { size: number }[], userAgent: string): UploadPath {
  return mobileUserAgent.test(userAgent) ||
    files.some(({ size }) => size > backgroundThresholdBytes)
    ? 'background'
    : 'foreground'
}
