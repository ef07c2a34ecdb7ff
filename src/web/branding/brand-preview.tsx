import { Download, FileText } from 'lucide-react'
import type { CSSProperties } from 'react'
import { accentPairs, type Theme, themes } from '../../shared/rules/accounts/accent.ts'

export interface BrandPreviewProps {
  name: string
  /** `#rrggbb`, or null for Mayfly's accent color. */
  accent: string | null
  message: string
  logo: string | null
}

/** Previews the download page with this brand in both the light and the dark theme. */
export function BrandPreview(props: BrandPreviewProps) {
  return (
    <figure>
      <figcaption className="mb-2 font-[560] text-sm">Preview</figcaption>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {themes.map((theme) => (
          <PagePreview key={theme} theme={theme} {...props} />
        ))}
      </div>
    </figure>
  )
}

function PagePreview({ theme, name, accent, message, logo }: BrandPreviewProps & { theme: Theme }) {
  const accentPair = accent === null ? null : accentPairs(accent)[theme]
  const colorStyle = accentPair && {
    '--accent': accentPair.accent,
    '--on-accent': accentPair.onAccent,
  }
  return (
    <div
      role="img"
      aria-label={`The page of a link in the ${theme} theme`}
      data-theme={theme}
      style={colorStyle as CSSProperties | undefined}
      className="min-w-0 rounded-control border border-line bg-paper p-3.5 text-ink"
    >
      <div className="flex h-7 min-w-0 items-center gap-2">
        {logo === null ? null : (
          <img src={logo} alt="" className="max-h-6 max-w-24 rounded-[4px] object-contain" />
        )}
        <b dir="auto" className="truncate font-[620] text-sm">
          {name}
        </b>
      </div>
      <div className="mt-3 rounded-[10px] border border-line bg-surface p-3.5">
        <div className="flex items-center gap-2.5 text-sm">
          <FileText className="size-5 shrink-0 text-muted" />
          <span className="truncate font-semibold">press-kit.pdf</span>
        </div>
        {message === '' ? null : (
          <p
            dir="auto"
            className="mt-2.5 line-clamp-4 whitespace-pre-line rounded-[8px] bg-paper p-2.5 text-sm wrap-anywhere"
          >
            {message}
          </p>
        )}
        <div className="mt-3 flex gap-1">
          <span className="h-1.5 w-1/5 rounded-full bg-edge" />
          <span className="h-1.5 w-1/4 rounded-full bg-accent" />
          <span className="h-1.5 flex-1 rounded-full border border-line" />
        </div>
        <div className="mt-3 flex h-9 items-center justify-center gap-2 rounded-[8px] bg-accent font-[560] text-on-accent text-sm">
          <Download className="size-4" />
          Download File
        </div>
      </div>
    </div>
  )
}
