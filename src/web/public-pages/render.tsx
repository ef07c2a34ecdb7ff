import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import {
  builtFile,
  notFoundPage,
  type PublicPageFacts,
  type PublicPageName,
  publicPages,
} from '../../shared/public-pages.ts'
import { themeBoot } from '../ui/theme-boot.ts'
import landingCss from './landing/landing-page.css?inline'
import { LandingPage } from './landing/landing-page.tsx'
import notFoundCss from './not-found-page.css?inline'
import { NotFoundPage } from './not-found-page.tsx'
import frameCss from './public-page.css?inline'
import { PublicPage } from './public-page.tsx'
import type { PublicScript } from './scripts.ts'

/** What a public page adds to the frame. */
interface PageParts {
  content: ReactNode
  /** The style of this page alone. */
  css?: string
  /** The script of this page. Without it the page has the one of all pages. */
  script?: PublicScript
}

const parts: Record<PublicPageName, PageParts> = {
  landing: { content: <LandingPage />, css: landingCss, script: 'landing-script' },
}

/**
 * Renders all public pages as whole HTML documents, each under the name of its file in dist/web.
 * @param scripts the URL of each built script.
 */
export function renderPublicPages(scripts: Record<PublicScript, string>): Map<string, string> {
  const whole = (
    { title, description }: Omit<PublicPageFacts, 'path'>,
    { content, css = '', script = 'page-script' }: PageParts,
    path: string | null,
  ) => {
    const page = (
      <PublicPage
        built={{ css: frameCss + css, boot: themeBoot, script: scripts[script] }}
        title={title}
        description={description}
        path={path}
      >
        {content}
      </PublicPage>
    )
    return `<!doctype html>${renderToStaticMarkup(page)}`
  }
  const names = Object.keys(publicPages) as PublicPageName[]
  return new Map([
    ...names.map((name): [string, string] => {
      const { path, ...facts } = publicPages[name]
      return [builtFile(name), whole(facts, parts[name], path)]
    }),
    [
      builtFile('not-found'),
      whole(notFoundPage, { content: <NotFoundPage />, css: notFoundCss }, null),
    ],
  ])
}
