import { publicPlaceholder } from './public-placeholders.ts'

/** What search engines and link previews show about a public page. */
export interface PublicPageFacts {
  path: string
  /** The text of the `<title>` element. */
  title: string
  /** One or two sentences. They may contain placeholders, because some of them name limits. */
  description: string
}

/**
 * The public pages: the build renders them, the server fills in their placeholders, and anybody can
 * read them without scripts. The server answers at these paths, and the sitemap lists them.
 */
export const publicPages = {
  landing: {
    path: '/',
    title: 'Mayfly: files that leave on time',
    description: `Upload a file and send its short link. It works for ${publicPlaceholder('premiumDays')}, then it is over. Nobody needs an account to download.`,
  },
  faq: {
    path: '/faq',
    title: 'Frequently asked questions · Mayfly',
    description: `How links, limits, privacy and accounts work on Mayfly: ${publicPlaceholder('freeFileSize')} a file for free, ${publicPlaceholder('premiumFileSize')} with Premium, and no file stays longer than ${publicPlaceholder('maxLifetime')}.`,
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
    description: 'What you may share by Mayfly, what it promises, and what it does not.',
  },
} as const satisfies Record<string, PublicPageFacts>

export type PublicPageName = keyof typeof publicPages

/** The public pages that headers and footers link to (spec §2). */
export const publicLinks = [
  { path: '/faq', name: 'FAQ' },
  { path: '/feedback', name: 'Feedback' },
  { path: '/privacy', name: 'Privacy' },
  { path: '/terms', name: 'Terms' },
] as const

/**
 * Signed-in users see the landing page at this path (spec §2), because `/` shows them the
 * dashboard. For visitors, the path does not exist.
 */
export const previewPath = '/preview'

/** A phone sends files to this path when the user shares them with the installed application. */
export const sharePath = '/share'

/**
 * Besides the public pages, the build renders these. The sitemap does not list them, because the
 * server sends them only as answers to certain requests.
 */
export const otherPages = {
  /** The answer for every unknown path (spec §2). */
  'not-found': {
    title: 'Page not found · Mayfly',
    description: 'There is nothing at this address.',
  },
  /** The answer to a browser that opens an address when the server has failed or is busy. */
  unavailable: {
    title: 'Not available · Mayfly',
    description: 'This page cannot be shown right now.',
  },
  /** The answer at `/api/docs`, which robots must not read. */
  'api-docs': {
    title: 'API reference · Mayfly',
    description: 'The HTTP API of Mayfly.',
  },
  /** The answer to the feedback form when a browser without scripts has sent it. */
  'feedback-sent': {
    title: 'Feedback sent · Mayfly',
    description: 'Thank you for your feedback.',
  },
  'feedback-failed': {
    title: 'Failed to send feedback · Mayfly',
    description: 'Your feedback was not sent.',
  },
  /**
   * The answer when a phone has shared files with the application and the application could not
   * take them.
   */
  'not-shared': {
    title: 'Please share it again · Mayfly',
    description: 'What was shared did not arrive.',
  },
} as const satisfies Record<string, Omit<PublicPageFacts, 'path'>>

export type OtherPageName = keyof typeof otherPages

/** The name of a page that the build renders. */
export type BuiltPage = PublicPageName | OtherPageName

export const builtPages = [
  ...(Object.keys(publicPages) as PublicPageName[]),
  ...(Object.keys(otherPages) as OtherPageName[]),
]

/** The name of the built file of a page in dist/web. */
export function builtFile(name: BuiltPage): string {
  return `public-${name}.html`
}
