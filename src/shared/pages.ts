/**
 * The paths that the single-page application shows a screen for. The server answers any other with
 * the same HTML and status 404, under which the application shows its not-found page.
 */
export const pages = ['/', '/login', '/signup', '/reset-password'] as const
