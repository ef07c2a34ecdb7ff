import { createContext, type ReactNode, type RefObject, useContext, useEffect } from 'react'
import { useLocation } from 'wouter'
import { SiteFooter } from './site-footer.tsx'
import { SiteHeader } from './site-header.tsx'

/** The path of the screen that was shown last; null before the first screen. */
export const ShownPath = createContext<RefObject<string | null>>({ current: null })

export interface PageProps {
  /** The title of the document. The product's name is added to it. */
  title: string
  /** The content under the header. It contains the only h1 of the screen. */
  children: ReactNode
  /** Centres the content on the rest of the screen. Use it for a single card or sentence. */
  centred?: boolean
}

/**
 * The frame of every screen: skip link, header, main landmark, footer. When the screen changes, the
 * focus moves to its h1, so that screen readers announce the new screen.
 */
export function Page({ title, children, centred = false }: PageProps) {
  const [path] = useLocation()
  const shown = useContext(ShownPath)

  useEffect(() => {
    document.title = title === 'Mayfly' ? title : `${title} · Mayfly`
  }, [title])

  useEffect(() => {
    const moved = shown.current !== null && shown.current !== path
    shown.current = path
    const heading = moved ? document.querySelector<HTMLElement>('main h1') : null
    if (heading === null) return
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [path, shown])

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
        className={`flex w-full flex-1 flex-col ${centred ? 'items-center justify-center px-4 py-10' : ''}`}
      >
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}
