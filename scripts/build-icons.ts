import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'

const backgroundColor = '#0b6e63'

/**
 * Renders the SVG icon to PNG and ICO files in `folder`. Phone icons fill the square, because
 * phones crop them. The maskable icon keeps the drawing inside the safe zone.
 */
export async function buildIcons(svgPath: string, folder: string): Promise<void> {
  const roundedSvg = await readFile(svgPath, 'utf8')
  const squareSvg = roundedSvg.replace(/ rx="7"/, '')
  const maskableSvg = squareSvg
    .replace('viewBox="0 0 32 32"', 'viewBox="-5 -5 42 42"')
    .replace(
      '<rect ',
      `<rect x="-5" y="-5" width="42" height="42" fill="${backgroundColor}"/><rect `,
    )
  const icons = {
    'icon-192.png': await renderPng(roundedSvg, 192),
    'icon-512.png': await renderPng(roundedSvg, 512),
    'icon-maskable-512.png': await renderPng(maskableSvg, 512),
    'apple-touch-icon.png': await renderPng(squareSvg, 180),
    'favicon.ico': makeIco(await renderPng(roundedSvg, 32), 32),
  }
  for (const [name, bytes] of Object.entries(icons)) await writeFile(join(folder, name), bytes)
}

function renderPng(svg: string, size: number): Promise<Buffer> {
  // The drawing is 32 points wide. This density renders it at its final size.
  const density = (72 * size) / 32
  return sharp(Buffer.from(svg), { density })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer()
}

/** Returns an ICO file containing one PNG, at most 255 pixels wide. */
function makeIco(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22)
  header.writeUInt16LE(1, 2) // the type: icon
  header.writeUInt16LE(1, 4) // the number of pictures
  header.writeUInt8(size, 6)
  header.writeUInt8(size, 7)
  header.writeUInt16LE(1, 10) // planes
  header.writeUInt16LE(32, 12) // bits of a pixel
  header.writeUInt32LE(png.length, 14)
  header.writeUInt32LE(header.length, 18) // where the picture begins
  return Buffer.concat([header, png])
}
