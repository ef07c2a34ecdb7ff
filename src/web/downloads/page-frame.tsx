import type { ReactNode } from 'react'
import { placeholder } from '../../shared/placeholders.ts'
import { type PageAssets, ThemeButton, When } from '../built-pages/template.tsx'
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

/** The owner's brand or, without one, ours. */
export function OwnerMark() {
  return (
    <>
      <When is="plain">
        <HomeLink />
      </When>
      <When is="branded">
        <Brand />
      </When>
    </>
  )
}

/** The owner's logo, name, or both. */
function Brand() {
  return (
    <p className="brand">
      <When is="logo">
        <img
          src={placeholder('logoPath')}
          width={placeholder('logoWidth')}
          height={placeholder('logoHeight')}
          alt={placeholder('logoAlt')}
          // Without this, React would add a preload link to the head even if there is no logo.
          fetchPriority="low"
        />
      </When>
      <When is="brandName">
        <b dir="auto">{placeholder('brandName')}</b>
      </When>
    </p>
  )
}

/** The message of the link and that of the owner's brand. */
export function Messages() {
  return (
    <>
      <When is="message">
        <div className="note">
          <p dir="auto">{placeholder('message')}</p>
        </div>
      </When>
      <When is="brandMessage">
        <div className="note">
          <p dir="auto">{placeholder('brandMessage')}</p>
          <When is="brandName">
            <cite dir="auto">{placeholder('brandName')}</cite>
          </When>
        </div>
      </When>
    </>
  )
}

export const tagline = 'Share files by short links that expire.'
