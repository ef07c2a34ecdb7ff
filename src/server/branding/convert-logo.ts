import { createHash } from 'node:crypto'
import { maxLogoSide } from '../../shared/contract/branding.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { AppError } from '../errors.ts'

export interface Logo {
  /** The image as a PNG without metadata. */
  png: Buffer
  /** A hash of the PNG, in hexadecimal. */
  key: string
  /** Both dimensions are in pixels. */
  width: number
  height: number
}

/** Maximum size of a stored logo, in bytes. It keeps a page with a logo below 100 KB. */
export const maxLogoPngBytes = 24 * 1024

/** Maximum dimensions in pixels. Pages show logos at a height of up to 36 px. */
const boundingBox = { width: 480, height: 240 }

/** Each encoding yields a smaller PNG than the one before. The last always fits. */
const encodings = [
  { scale: 1, palette: false },
  { scale: 1, palette: true },
  { scale: 0.75, palette: true },
  { scale: 0.5, palette: true },
  { scale: 0.3, palette: true },
]

/** The slowest image within the pixel limit takes about three seconds. */
const timeoutSeconds = 20

/**
 * Loads sharp when it is first needed. Loading takes 0.1 s and 30 MB of memory, and many servers
 * never convert a logo.
 */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Png', 'Jpeg', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`),
  })
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

/**
 * Converts an image to a logo.
 * @throws {AppError} LOGO_UNREADABLE if it isn't an intact PNG, JPEG or WebP within the limits.
 */
async function convert(image: Uint8Array): Promise<Logo> {
  const sharp = await loadSharp()
  const timeout = { seconds: timeoutSeconds }
  try {
    // Reads only the first frame of an animated image.
    const inputImage = sharp(image, {
      failOn: 'error',
      limitInputPixels: maxLogoSide ** 2,
      pages: 1,
    })
    const { width, height } = await inputImage.metadata()
    if (width > maxLogoSide || height > maxLogoSide) throw createTooLargeError()
    const { data, info: rawInfo } = await inputImage
      .timeout(timeout)
      .autoOrient()
      .resize({ ...boundingBox, fit: 'inside', withoutEnlargement: true })
      .raw()
      .toBuffer({ resolveWithObject: true })
    for (const { scale, palette } of encodings) {
      const size = { width: boundingBox.width * scale, height: boundingBox.height * scale }
      const { data: png, info } = await sharp(data, { raw: rawInfo })
        .timeout(timeout)
        .resize({ ...size, fit: 'inside', withoutEnlargement: true })
        .png({ compressionLevel: 9, palette })
        .toBuffer({ resolveWithObject: true })
      if (png.length > maxLogoPngBytes) continue
      const key = createHash('sha256').update(png).digest('hex').slice(0, 32)
      return { png, key, width: info.width, height: info.height }
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('LOGO_UNREADABLE', { cause: error })
  }
  throw new AppError('LOGO_UNREADABLE')
}

function createTooLargeError(): AppError {
  const maxSideText = groupDigits(maxLogoSide)
  const message = `This image is too large: it can be at most ${maxSideText} pixels wide and high.`
  return new AppError('LOGO_UNREADABLE', { message })
}

/**
 * Maximum number of queued images. Logos are decoded one at a time, because each can take 70 MB of
 * memory.
 */
const maxQueued = 16

/**
 * Returns a function that converts images to logos, one at a time.
 * @throws {AppError} from the returned function: LOGOS_BUSY if 16 images are queued;
 * LOGO_UNREADABLE if the image isn't an intact PNG, JPEG or WebP of at most 4,096 pixels a side.
 */
export function createLogoConverter(): (image: Uint8Array) => Promise<Logo> {
  let queuedCount = 0
  let previousPromise: Promise<unknown> = Promise.resolve()
  return (image) => {
    if (queuedCount >= maxQueued) throw new AppError('LOGOS_BUSY')
    queuedCount += 1
    const logoPromise = previousPromise.then(() => convert(image)).finally(() => (queuedCount -= 1))
    previousPromise = logoPromise.catch(() => undefined)
    return logoPromise
  }
}
