import type { ReactNode } from 'react'
import { publicLinks } from '../../shared/public-pages.ts'
import { type PageAssets, ThemeButton, When } from '../built-pages/template.tsx'
import { Mark } from '../ui/mark.tsx'
import { values, WhenSignupIsOpen } from './values.tsx'

export interface PublicPageProps {
  assets: PageAssets
  /** The title and description, also used by search engines and link previews. */
  title: string
  description: string
  /** The page's path, or null if the page has no URL. */
  path: string | null
  /** The content of <main>, including the page's only h1. */
  children: ReactNode
}

function PageLinks({ label, path }: { label: string; path: string | null }) {
  return (
    <nav aria-label={label}>
      {publicLinks.map((link) => (
        <a key={link.path} href={link.path} aria-current={link.path === path ? 'page' : undefined}>
          {link.name}
        </a>
      ))}
      {label === 'More' ? <a href="/api/docs">API</a> : null}
    </nav>
  )
}

/** Links to the login and the signup, except to the page itself. */
function SignInLinks({ path }: { path: string | null }) {
  return (
    <>
      {path === '/login' ? null : (
        <a className="button small quiet" href="/login" data-next="">
          Sign In
        </a>
      )}
      {path === '/signup' ? null : (
        <WhenSignupIsOpen>
          <a className="button small" href="/signup" data-next="">
            Sign Up
          </a>
        </WhenSignupIsOpen>
      )}
    </>
  )
}

function Header({ path }: { path: string | null }) {
  return (
    <header className="top">
      <div className="wrap">
        <a className="home" href="/" aria-label="Mayfly, home">
          <Mark />
        </a>
        <PageLinks label="Pages" path={path} />
        <div className="ways">
          <ThemeButton />
          {path === '/login' || path === '/signup' ? (
            // The server sends signed-in users elsewhere, unless they only seem to be signed in.
            <SignInLinks path={path} />
          ) : (
            <>
              <When is="visitor">
                <SignInLinks path={path} />
              </When>
              <When is="signedIn">
                <a className="button small" href="/">
                  Dashboard
                </a>
              </When>
            </>
          )}
        </div>
      </div>
    </header>
  )
}

function Footer({ path }: { path: string | null }) {
  return (
    <footer>
      <div className="wrap">
        <span>Mayfly, a preview version</span>
        <PageLinks label="More" path={path} />
        <span>{values.version}</span>
      </div>
    </footer>
  )
}

/** The <head> elements for link previews and search engines, including the canonical URL. */
function PreviewTags({
  title,
  description,
  path,
}: {
  title: string
  description: string
  path: string
}) {
  const pageUrl = values.origin + path
  return (
    <>
      <link rel="canonical" href={pageUrl} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content="Mayfly" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={pageUrl} />
      <meta property="og:image" content={`${values.origin}/icon-512.png`} />
      <meta property="og:image:alt" content="The logo of Mayfly" />
      <meta name="twitter:card" content="summary" />
    </>
  )
}

/**
 * A public page as a complete document: head, skip link, header, main landmark, footer, and an
 * element for toasts. The server fills in the placeholders (`shared/placeholders.ts`).
 */
export function PublicPage({ assets, title, description, path, children }: PublicPageProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <script>{assets.boot}</script>
        <title>{title}</title>
        <meta name="description" content={description} />
        {path === null ? (
          <meta name="robots" content="noindex" />
        ) : (
          <PreviewTags title={title} description={description} path={path} />
        )}
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <style>{assets.css}</style>
        <script type="module" src={assets.script} />
      </head>
      <body>
        <a className="skip" href="#content">
          Skip to content
        </a>
        <Header path={path} />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
        <Footer path={path} />
        <div className="toast" id="toast" role="alert" />
      </body>
    </html>
  )
}
