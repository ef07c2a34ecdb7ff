/**
 * The paths for which the single-page application has a screen. The server answers all other paths:
 * the public pages (`public-pages.ts`), the links to files, and unknown paths, which get status
 * 404.
 */
export const pages = [
  '/',
  '/login',
  '/signup',
  '/account',
  '/admin',
  '/verify-email',
  '/reset-password',
] as const

/** The pages to which links in emails lead. Their URLs carry a secret token at first. */
export const tokenPages: readonly string[] = ['/reset-password', '/verify-email']
