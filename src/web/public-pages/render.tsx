import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import {
  builtFile,
  type OtherPageName,
  otherPages,
  type PublicPageName,
  publicPages,
} from '../../shared/public-pages.ts'
import { themeBoot } from '../ui/theme-boot.ts'
import apiReferenceCss from './api-reference/api-reference-page.css?inline'
import { ApiReferencePage } from './api-reference/api-reference-page.tsx'
import articleCss from './article.css?inline'
import faqCss from './faq/faq-page.css?inline'
import { FaqPage } from './faq/faq-page.tsx'
import feedbackCss from './feedback-form/feedback-page.css?inline'
import {
  FeedbackFailedPage,
  FeedbackPage,
  FeedbackSentPage,
} from './feedback-form/feedback-page.tsx'
import landingCss from './landing/landing-page.css?inline'
import { LandingPage } from './landing/landing-page.tsx'
import legalCss from './legal/legal-page.css?inline'
import { PrivacyPage } from './legal/privacy-page.tsx'
import { TermsPage } from './legal/terms-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { NotSharedPage } from './not-shared-page.tsx'
import frameCss from './public-page.css?inline'
import { PublicPage } from './public-page.tsx'
import type { PublicScript } from './scripts.ts'
import shortCss from './short-page.css?inline'
import { UnavailablePage } from './unavailable-page.tsx'

/** What a single page adds to the common frame. */
interface PageParts {
  /** The content of <main>. */
  content: ReactNode
  /** The style of this page. It follows the common style. */
  css?: string
  /** The script of this page. Without a name, it is `page-script`. */
  script?: PublicScript
}

const publicParts: Record<PublicPageName, PageParts> = {
  landing: { content: <LandingPage />, css: landingCss, script: 'landing-script' },
  faq: { content: <FaqPage />, css: articleCss + faqCss },
  feedback: {
    content: <FeedbackPage />,
    css: articleCss + feedbackCss,
    script: 'feedback-script',
  },
  privacy: { content: <PrivacyPage />, css: articleCss + legalCss },
  terms: { content: <TermsPage />, css: articleCss + legalCss },
}

const otherParts: Record<OtherPageName, PageParts> = {
  'api-reference': {
    content: <ApiReferencePage />,
    css: articleCss + apiReferenceCss,
    script: 'api-reference-script',
  },
  'feedback-failed': { content: <FeedbackFailedPage />, css: shortCss },
  'feedback-sent': { content: <FeedbackSentPage />, css: shortCss },
  'not-found': { content: <NotFoundPage />, css: shortCss },
  'not-shared': { content: <NotSharedPage />, css: shortCss },
  unavailable: { content: <UnavailablePage />, css: shortCss },
}

/**
 * Renders all public pages as whole HTML documents. The keys of the result are the names of the
 * files in dist/web.
 * @param scripts the URL of each built script.
 */
export function renderPublicPages(scripts: Record<PublicScript, string>): Map<string, string> {
  const whole = (
    facts: { title: string; description: string; path: string | null },
    { content, css = '', script = 'page-script' }: PageParts,
  ) => {
    const built = { css: frameCss + css, boot: themeBoot, script: scripts[script] }
    const page = (
      <PublicPage built={built} {...facts}>
        {content}
      </PublicPage>
    )
    return `<!doctype html>${renderToStaticMarkup(page)}`
  }
  const pages = new Map<string, string>()
  for (const name of Object.keys(publicPages) as PublicPageName[]) {
    pages.set(builtFile(name), whole(publicPages[name], publicParts[name]))
  }
  for (const name of Object.keys(otherPages) as OtherPageName[]) {
    pages.set(builtFile(name), whole({ ...otherPages[name], path: null }, otherParts[name]))
  }
  return pages
}
