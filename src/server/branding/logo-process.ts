/**
 * The program that makes a logo of a picture. `logo-conversion.ts` starts it once for each picture.
 * It reads the picture from its standard input, writes a PNG to its standard output, and exits with
 * one of the codes of `logoExit`. It has neither settings nor secrets. So a picture that takes
 * control of the decoder finds nothing.
 */
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { maxLogoSide } from '../../shared/rules/accounts/logo-limits.ts'
import { logoExit, maxLogoPngBytes } from './logo-exit.ts'

/** A logo is made to fit into this box, in pixels. Pages show it at most 36 px high. */
const box = { width: 480, height: 240 }

/**
 * Each of these ways makes a smaller PNG than the one before. The last one makes any picture small
 * enough.
 */
const ways = [
  { scale: 1, palette: false },
  { scale: 1, palette: true },
  { scale: 0.75, palette: true },
  { scale: 0.5, palette: true },
  { scale: 0.3, palette: true },
]

// libvips may load only these three kinds of pictures, and only from memory. It refuses SVG, PDF
// and all others, even if their first bytes look like one of these.
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
      // Only the first picture of an animation is read.
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
    // The message of the library would not help the user, so the answer is `unreadable` as well.
  }
  return logoExit.unreadable
}
