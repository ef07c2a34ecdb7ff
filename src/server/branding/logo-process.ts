/**
 * The process that makes a logo of a picture, started once for each by `logo-conversion.ts`. It
 * reads the picture from its standard input, writes a PNG to its standard output, and exits with
 * one of the codes below. It has neither settings nor secrets, so that a picture that got the better
 * of a decoder would find nothing.
 */
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { maxLogoSide } from '../../shared/rules/logo-limits.ts'
import { logoExit, maxLogoPngBytes } from './logo-exit.ts'

/** A logo fits into this box, in pixels. Pages show it 36 px high at most. */
const box = { width: 480, height: 240 }

/** Each way makes a smaller PNG than the one before. The last makes any picture small enough. */
const ways = [
  { scale: 1, palette: false },
  { scale: 1, palette: true },
  { scale: 0.75, palette: true },
  { scale: 0.5, palette: true },
  { scale: 0.3, palette: true },
]

// Of all that libvips can load, only these three kinds, and only from memory. SVG, PDF and the
// others are refused even where their bytes pass for one of these.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
})
sharp.cache(false)
sharp.concurrency(1)

process.exitCode = await convert(await buffer(process.stdin))

async function convert(picture: Buffer): Promise<number> {
  const open = () =>
    sharp(picture, {
      failOn: 'error',
      limitInputPixels: maxLogoSide ** 2,
      // The first picture of an animation.
      pages: 1,
    })
  try {
    const { width, height } = await open().metadata()
    if (width > maxLogoSide || height > maxLogoSide) return logoExit.tooManyPixels
    for (const { scale, palette } of ways) {
      const png = await open()
        .autoOrient()
        .resize({
          width: box.width * scale,
          height: box.height * scale,
          fit: 'inside',
          withoutEnlargement: true,
        })
        .png({ compressionLevel: 9, palette })
        .toBuffer()
      if (png.length > maxLogoPngBytes) continue
      process.stdout.write(png)
      return logoExit.converted
    }
  } catch {
    // The library's words are of no use to a person.
  }
  return logoExit.unreadable
}
