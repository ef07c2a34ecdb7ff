import { Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Built } from '../built-pages/built.ts'
import { Mark } from '../ui/mark.tsx'

interface LinkPageProps {
  built: Built
  title: string
  /**
   * True if the browser may tell this server on which page a request began. A page with a form
   * needs this. Otherwise the browser sends `Origin: null`, and the server refuses the form.
   */
  tellsAddress?: boolean
  head?: ReactNode
  /**
   * A style element with the colours of a brand. It stands after the page's style sheet, so that
   * its colours replace ours.
   */
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
        {props.tellsAddress ? null : <meta name="referrer" content="no-referrer" />}
        {props.head}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style>{props.built.css}</style>
        {props.style}
        <script type="module" src={props.built.script} />
      </head>
      <body>
        <header className="wrap">
          {props.sender}
          <button className="icon" id="theme" type="button" aria-label="Switch theme">
            <Moon className="moon" size={18} strokeWidth={1.6} aria-hidden="true" />
            <Sun className="sun" size={18} strokeWidth={1.6} aria-hidden="true" />
          </button>
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

export const motto = 'Files here leave on time.'
