import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'wouter'
import { publicLinks } from '../../shared/public-pages.ts'
import { useVersion } from '../api/public-values.ts'
import { SiteHeader } from './site-header.tsx'
import { Wrap } from './wrap.tsx'

/** The path of the screen shown before this one; undefined for the first screen. */
let previousPath: string | undefined

export interface PageProps {
  /** The document title without the product's name. */
  title: string
  /** The content under the header, including the screen's only h1. */
  children: ReactNode
  /** Centers the content in the remaining space, for a single card or sentence. */
  centered?: boolean
}

/**
 * The frame around every screen: skip link, header, main landmark, footer. When the screen changes,
 * focus moves to its h1 so that screen readers announce the new screen.
 */
export function Page({ title, children, centered = false }: PageProps) {
  const [path] = useLocation()

  useEffect(() => {
    document.title = title === 'Mayfly' ? title : `${title} · Mayfly`
  }, [title])

  useEffect(() => {
    const isNewScreen = previousPath !== undefined && previousPath !== path
    previousPath = path
    const heading = isNewScreen ? document.querySelector<HTMLElement>('main h1') : null
    if (heading === null) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [path])

  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-4 py-2.5 font-[560] text-on-accent no-underline focus:translate-y-0"
      >
        Skip to content
      </a>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className={`flex w-full flex-1 flex-col ${centered ? 'items-center justify-center px-4 py-10' : ''}`}
      >
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}

/**
 * The footer on every screen, with the version and links to the public pages. The server renders
 * those pages, so plain links are used instead of the application's routes.
 */
function SiteFooter() {
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
