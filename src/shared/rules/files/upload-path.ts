/**
 * Spec §4: an upload shows its progress on the page (foreground) or in the uploads panel
 * (background).
 */
export const uploadPaths = ['foreground', 'background'] as const
export type UploadPath = (typeof uploadPaths)[number]

/** Spec §9: background upload trigger, any file over 50MB. */
const backgroundBytes = 50 * 1024 ** 2
const mobile = /Android|webOS|iPhone|iPad|iPod|BlackBerry|IEMobile|Opera Mini|Mobile/i

/**
 * Spec §4: returns the path for files that were added together. They use the background path when
 * any of them exceeds 50MB or the device is a mobile device (by user agent). `size` is in bytes.
 */
export function uploadPath(files: readonly { size: number }[], userAgent: string): UploadPath {
  return mobile.test(userAgent) || files.some(({ size }) => size > backgroundBytes)
    ? 'background'
    : 'foreground'
}
