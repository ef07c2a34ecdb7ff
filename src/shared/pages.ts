/**
 * The paths of the single-page application. At `/`, visitors get the landing page instead. For
 * other paths the server has public pages, pages of links, or a 404.
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

/** The pages that links in emails lead to. Their URLs have a secret token at first. */
export const tokenPages: readonly string[] = ['/reset-password', '/verify-email']
