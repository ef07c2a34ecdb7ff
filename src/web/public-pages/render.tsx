import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import {
  type BuiltPage,
  builtPageFile,
  builtPages,
  publicPages,
  signInPages,
  unlistedPages,
} from '../../shared/public-pages.ts'
import { themeBoot } from '../ui/theme-boot.ts'
import apiDocsCss from './api-docs.css?inline'
import articleCss from './article.css?inline'
import faqCss from './faq/faq-page.css?inline'
import { FaqPage } from './faq/faq-page.tsx'
import feedbackCss from './feedback-form/feedback-page.css?inline'
import { FeedbackPage } from './feedback-form/feedback-page.tsx'
import formCss from './form.css?inline'
import landingCss from './landing/landing-page.css?inline'
import { LandingPage } from './landing/landing-page.tsx'
import legalCss from './legal/legal-page.css?inline'
import { PrivacyPage } from './legal/privacy-page.tsx'
import { TermsPage } from './legal/terms-page.tsx'
import frameCss from './public-page.css?inline'
import { PublicPage } from './public-page.tsx'
import shortCss from './short-page.css?inline'
import {
  ApiDocsPage,
  FeedbackFailedPage,
  FeedbackSentPage,
  NotFoundPage,
  NotSharedPage,
  UnavailablePage,
} from './short-pages.tsx'
import { LoginPage } from './sign-in/login-page.tsx'
import signInCss from './sign-in/sign-in.css?inline'
import { SignupClosedPage, SignupPage } from './sign-in/signup-page.tsx'

/** The parts that differ between pages. */
interface PageParts {
  /** The content of <main>. */
  content: ReactNode
  /** CSS that only this page needs, added after the common CSS. */
  css?: string
}

const partsByPage: Record<BuiltPage, PageParts> = {
  landing: { content: <LandingPage />, css: landingCss },
  faq: { content: <FaqPage />, css: articleCss + faqCss },
  feedback: { content: <FeedbackPage />, css: articleCss + formCss + feedbackCss },
  privacy: { content: <PrivacyPage />, css: articleCss + legalCss },
  terms: { content: <TermsPage />, css: articleCss + legalCss },
  login: { content: <LoginPage />, css: formCss + signInCss },
  signup: { content: <SignupPage />, css: formCss + signInCss },
  'signup-trial': { content: <SignupPage forTrial />, css: formCss + signInCss },
  'signup-closed': { content: <SignupClosedPage />, css: formCss + signInCss },
  'api-docs': { content: <ApiDocsPage />, css: apiDocsCss },
  'feedback-failed': { content: <FeedbackFailedPage />, css: shortCss },
  'feedback-sent': { content: <FeedbackSentPage />, css: shortCss },
  'not-found': { content: <NotFoundPage />, css: shortCss },
  'not-shared': { content: <NotSharedPage />, css: shortCss },
  unavailable: { content: <UnavailablePage />, css: shortCss },
}

/**
 * Renders all public pages as complete HTML documents, keyed by their file names in dist/web.
 * @param scripts the URLs of the scripts: one for the API reference, one for the pages to sign in,
 * one for all others.
 */
export function renderPublicPages(scripts: { apiDocs: string; signIn: string; standard: string }) {
  const pageDescriptions = { ...publicPages, ...signInPages, ...unlistedPages }
  const scriptOf = (name: BuiltPage) => {
    if (name === 'api-docs') return scripts.apiDocs
    return name in signInPages ? scripts.signIn : scripts.standard
  }
  const render = (name: BuiltPage) => {
    const { content, css = '' } = partsByPage[name]
    const assets = { css: frameCss + css, boot: themeBoot, script: scriptOf(name) }
    const page = (
      <PublicPage assets={assets} path={null} {...pageDescriptions[name]}>
        {content}
      </PublicPage>
    )
    return `<!doctype html>${renderToStaticMarkup(page)}`
  }
  return new Map(builtPages.map((name) => [builtPageFile(name), render(name)]))
}
