import { Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { Mark } from '../ui/mark.tsx'

/** The parts that the build puts into each page. */
export interface Built {
  /** The whole style sheet of the page. */
  css: string
  /** A script that sets the theme before anything is painted. */
  boot: string
  /** The URL of the script that runs after the page is painted. */
  script: string
}

interface PageProps {
  built: Built
  title: string
  /** True if the page may tell its address to this server, which forms need. */
  tellsAddress?: boolean
  head?: ReactNode
  /** A style sheet that follows the one of the page. */
  style?: ReactNode
  /** Whose page this is, shown in the header. */
  sender: ReactNode
  footer: ReactNode
  children: ReactNode
}

/** The frame of the pages that work without scripts: those behind links. */
export function Page(props: PageProps) {
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

export function Home() {
  return (
    <a className="home" href="/">
      <Mark />
    </a>
  )
}

export const motto = 'Files here leave on time.'
