import { publicLinks } from '../../shared/public-pages.ts'
import { useVersion } from '../api/public-values.ts'
import { Wrap } from './wrap.tsx'

/**
 * The footer of every screen. It has the version text and links to the public pages. The server
 * renders the public pages, so the links are plain links and not routes of the application.
 */
export function SiteFooter() {
  const version = useVersion()
  return (
    <footer className="border-line border-t text-muted text-sm">
      <Wrap className="flex min-h-[72px] flex-wrap items-center justify-between gap-x-6 gap-y-1 max-sm:py-4">
        <span>Mayfly, a preview version</span>
        <nav
          aria-label="More"
          className="flex flex-wrap gap-x-1 max-sm:order-1 max-sm:-mx-2 max-sm:w-full"
        >
          {publicLinks.map(({ path, name }) => (
            <a
              key={path}
              href={path}
              className="rounded-[6px] p-2 text-muted no-underline hover:text-ink pointer-coarse:py-3"
            >
              {name}
            </a>
          ))}
        </nav>
        <span className="tabular-nums">{version}</span>
      </Wrap>
    </footer>
  )
}
