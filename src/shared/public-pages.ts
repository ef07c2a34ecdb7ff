import { publicSlot } from './public-slots.ts'

/** What search engines and link previews show of a public page. */
export interface PublicPageFacts {
  path: string
  /** The document's title. */
  title: string
  /** One or two sentences. They may have slots, because they name limits. */
  description: string
}

/**
 * The public pages: pages for anybody, which the build renders and the server fills in. They can be
 * read without scripts. The server answers these paths, and the sitemap lists them.
 */
export const publicPages = {
  landing: {
    path: '/',
    title: 'Mayfly: files that leave on time',
    description: `Upload a file and send its short link. It works for ${publicSlot('premiumDays')}, then it is over. Nobody needs an account to download.`,
  },
  faq: {
    path: '/faq',
    title: 'Frequently asked questions · Mayfly',
    description: `How links, limits, privacy and accounts work on Mayfly: ${publicSlot('freeFileSize')} a file for free, ${publicSlot('premiumFileSize')} with Premium, and no file stays longer than ${publicSlot('maxLifetime')}.`,
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

/** The public pages to which headers and footers lead (spec §2). */
export const publicLinks = [
  { path: '/faq', name: 'FAQ' },
  { path: '/feedback', name: 'Feedback' },
  { path: '/privacy', name: 'Privacy' },
  { path: '/terms', name: 'Terms' },
] as const

/** The landing page for somebody who is signed in (spec §2). For visitors it does not exist. */
export const previewPath = '/preview'

/** The path to which a phone shares files with the installed application. */
export const sharePath = '/share'

/** Pages that the build renders too, and that answer no path of their own. */
export const otherPages = {
  /** Spec §2: any other path shows a not-found page. */
  'not-found': {
    title: 'Page not found · Mayfly',
    description: 'There is nothing at this address.',
  },
  /** It is at `/api/docs`, where robots are not wanted. */
  'api-reference': {
    title: 'API reference · Mayfly',
    description: 'Every call of Mayfly for your own programs, and how to upload a file.',
  },
  /** What follows the feedback form where there are no scripts. */
  'feedback-sent': {
    title: 'Feedback sent · Mayfly',
    description: 'Thank you for your feedback.',
  },
  'feedback-failed': {
    title: 'Failed to send feedback · Mayfly',
    description: 'Your feedback was not sent.',
  },
  /** Files were shared with the application, and it could not take them. */
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
