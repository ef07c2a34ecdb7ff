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
} as const satisfies Record<string, PublicPageFacts>

export type PublicPageName = keyof typeof publicPages

/** The landing page for somebody who is signed in (spec §2). For visitors it does not exist. */
export const previewPath = '/preview'

/** The page for a path that leads nowhere (spec §2). It has no path of its own. */
export const notFoundPage = {
  title: 'Page not found · Mayfly',
  description: 'There is nothing at this address.',
}

/** The name of the built file of a public page in dist/web. */
export function builtFile(name: PublicPageName | 'not-found'): string {
  return `public-${name}.html`
}
