import type { ReactNode } from 'react'
import { type Built, ThemeButton } from '../built-pages/template.tsx'
import { Mark } from '../ui/mark.tsx'

interface LinkPageProps {
  built: Built
  title: string
  /**
   * Whether browsers send the page's address to this server. Pages with a form need it: otherwise
   * browsers send `Origin: null`, and the server refuses the form.
   */
  sendsReferrer?: boolean
  head?: ReactNode
  /** A style element with the colors of a brand. It overrides the page's style sheet. */
  style?: ReactNode
  /** The sender's brand, or our own. The header shows it. */
  sender: ReactNode
  footer: ReactNode
  children: ReactNode
}

/** The frame of the pages about a link. They work without scripts. */
export function LinkPage(props: LinkPageProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <script>{props.built.boot}</script>
        <title>{props.title}</title>
        <meta name="robots" content="noindex" />
        {props.sendsReferrer ? null : <meta name="referrer" content="no-referrer" />}
        {props.head}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style>{props.built.css}</style>
        {props.style}
        <script type="module" src={props.built.script} />
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

/** Our mark, which leads to the front page. */
export function HomeLink() {
  return (
    <a className="home" href="/">
      <Mark />
    </a>
  )
}

export const tagline = 'Share files by short links that expire.'
