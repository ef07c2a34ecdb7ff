import { useMemo, useState } from 'react'
import { encode, renderSVG } from 'uqr'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ButtonRow, FormDialog } from '../ui/dialog.tsx'

/** The quiet zone around the code, in modules (ISO/IEC 18004). */
const border = 4

/** In pixels of the PNG. */
const moduleSize = 12

/**
 * Draws a QR code. It is black on white in both themes, because many scanners can't read inverted
 * codes. Returns data URLs.
 */
function drawCode(text: string): { png: string; svg: string } {
  const { data, size } = encode(text, { border })
  const canvas = document.createElement('canvas')
  canvas.width = size * moduleSize
  canvas.height = size * moduleSize
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The browser has no canvas.')
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = 'black'
  for (const [y, row] of data.entries()) {
    for (const [x, isDark] of row.entries()) {
      if (isDark) context.fillRect(x * moduleSize, y * moduleSize, moduleSize, moduleSize)
    }
  }
  const svg = renderSVG(text, { border, pixelSize: moduleSize })
  return {
    png: canvas.toDataURL('image/png'),
    svg: `data:image/svg+xml,${encodeURIComponent(svg)}`,
  }
}

export interface QrDialogProps {
  /** An absolute URL. */
  url: string
  /** Called after the closing animation. */
  onClosed: () => void
}

/** Shows a URL as a QR code, which can be downloaded as a picture. */
export function QrDialog({ url, onClosed }: QrDialogProps) {
  const [isOpen, setOpen] = useState(true)
  const { png, svg } = useMemo(() => drawCode(url), [url])
  const fileName = `mayfly-${url.slice(url.lastIndexOf('/') + 1)}`
  return (
    <FormDialog
      open={isOpen}
      onOpenChange={setOpen}
      onClosed={onClosed}
      title="QR code"
      description={<span className="wrap-anywhere">Leads to {url}</span>}
    >
      <img
        src={svg}
        alt={`QR code of ${url}`}
        className="mx-auto mb-5 aspect-square w-full max-w-64 rounded-control border border-line bg-white"
      />
      <ButtonRow>
        <ButtonLink href={png} download={`${fileName}.png`}>
          Download PNG
        </ButtonLink>
        <ButtonLink href={svg} download={`${fileName}.svg`}>
          Download SVG
        </ButtonLink>
        <Button onClick={() => setOpen(false)}>Done</Button>
      </ButtonRow>
    </FormDialog>
  )
}
