import { placeholder } from './placeholders.ts'

/** The metadata of a public page for search engines and link previews. */
export interface PageMetadata {
  path: string
  title: string
  /** One or two sentences, which may contain placeholders. */
  description: string
}

/** Public pages. They are listed in the sitemap and work without JavaScript. */
export const publicPages = {
  landing: {
    path: '/',
    title: 'Mayfly: share files by short links that expire',
    description: `Upload a file and send its short link. The link works for ${placeholder('premiumDays')}, then the file is deleted. Nobody needs an account to download.`,
  },
  faq: {
    path: '/faq',
    title: 'Frequently asked questions · Mayfly',
    description: `How links, limits, privacy and accounts work on Mayfly: ${placeholder('freeFileSize')} per file with Free, ${placeholder('premiumFileSize')} with Premium, and no file stays longer than ${placeholder('maxLifetime')}.`,
  },
  feedback: {
    path: '/feedback',
    title: 'Feedback · Mayfly',
    description: 'Tell us what is missing, what is broken and what you like about Mayfly.',
  },
  privacy: {
    path: '/privacy',
    title: 'Privacy policy · Mayfly',
    description: 'What Mayfly keeps about you, for how long, and who can see it.',
  },
  terms: {
    path: '/terms',
    title: 'Terms of service · Mayfly',
    description: 'What you may share with Mayfly, and what to expect from it.',
  },
} as const satisfies Record<string, PageMetadata>

/** Pages for signing in and up. They need JavaScript, and the sitemap doesn't list them. */
export const signInPages = {
  login: {
    path: '/login',
    title: 'Sign in · Mayfly',
    description: 'Sign in to get to your files and links.',
  },
  signup: {
    path: '/signup',
    title: 'Create your account · Mayfly',
    description: 'Sign up to share files by short links that expire.',
  },
  // For visitors who chose the trial on the landing page.
  'signup-trial': {
    path: '/signup',
    title: 'Create your account · Mayfly',
    description: 'Sign up to share files by short links that expire.',
  },
  // If nobody can sign up.
  'signup-closed': {
    path: '/signup',
    title: 'Signup is closed · Mayfly',
    description: 'Ask the administrator for an account.',
  },
} as const satisfies Record<string, PageMetadata>

export type PublicPageName = keyof typeof publicPages

/** The public pages linked in headers and footers (spec §2). */
export const publicLinks = [
  { path: '/faq', name: 'FAQ' },
  { path: '/feedback', name: 'Feedback' },
  { path: '/privacy', name: 'Privacy' },
  { path: '/terms', name: 'Terms' },
] as const

/** Lets signed-in users see the landing page (spec §2). Anyone else gets a 404. */
export const previewPath = '/preview'

/** Receives files that a phone shares with the installed application. */
export const sharePath = '/share'

/** Other pages rendered by the build, which aren't listed in the sitemap. */
export const unlistedPages = {
  // Shown for every unknown path (spec §2).
  'not-found': {
    title: 'Page not found · Mayfly',
    description: 'There is nothing at this address.',
  },
  // Shown by browsers when the server has failed or is overloaded.
  unavailable: {
    title: 'Not available · Mayfly',
    description: 'This page cannot be shown right now.',
  },
  // Served at `/api/docs`.
  'api-docs': {
    title: 'API reference · Mayfly',
    description: 'The HTTP API of Mayfly.',
  },
  // The response to a feedback form submitted without JavaScript.
  'feedback-sent': {
    title: 'Feedback sent · Mayfly',
    description: 'Thank you for your feedback.',
  },
  'feedback-failed': {
    title: 'Failed to send feedback · Mayfly',
    description: 'Your feedback was not sent.',
  },
  // Shown if the application couldn't accept files that a phone shared.
  'not-shared': {
    title: 'Please share it again · Mayfly',
    description: 'The files that you shared did not arrive.',
  },
} as const satisfies Record<string, Omit<PageMetadata, 'path'>>

export type BuiltPage = PublicPageName | keyof typeof signInPages | keyof typeof unlistedPages

export const builtPages = Object.keys({
  ...publicPages,
  ...signInPages,
  ...unlistedPages,
}) as BuiltPage[]

/** Returns a page's file name in dist/web. */
export function builtPageFile(name: BuiltPage): string {
  return `public-${name}.html`
}
