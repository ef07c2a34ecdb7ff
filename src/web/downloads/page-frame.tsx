import type { ReactNode } from 'react'
import { type PageAssets, ThemeButton } from '../built-pages/template.tsx'
import { Mark } from '../ui/mark.tsx'

interface LinkPageProps {
  assets: PageAssets
  title: string
  head?: ReactNode
  /** A <style> element that overrides the page's style sheet with the brand's colors. */
  style?: ReactNode
  /** Shown in the header: the owner's brand or, without one, ours. */
  sender: ReactNode
  footer: ReactNode
  children: ReactNode
}

/** The layout of link pages, which work without scripts. */
export function LinkPage(props: LinkPageProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <script>{props.assets.boot}</script>
        <title>{props.title}</title>
        <meta name="robots" content="noindex" />
        {props.head}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style>{props.assets.css}</style>
        {props.style}
        <script type="module" src={props.assets.script} />
      </head>
      <body>
        <header className="wrap">
          {props.sender}
          <ThemeButton />
        </header>
        <main>{props.children}</main>
        <footer className="wrap">{props.footer}</footer>
        <div className="toast" id="toast" role="alert" />
      </body>
    </html>
  )
}

/** The product's logo, linked to the landing page. */
export function HomeLink() {
  return (
    <a className="home" href="/">
      <Mark />
    </a>
  )
}

export const tagline = 'Share files by short links that expire.'
