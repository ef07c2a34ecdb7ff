/**
 * The scripts of the public pages. Each name is that of a source file in this folder, and the build
 * makes one file of each. `page-script` is for pages without a script of their own.
 */
export const publicScripts = [
  'page-script',
  'landing-script',
  'feedback-script',
  'api-reference-script',
] as const

export type PublicScript = (typeof publicScripts)[number]
