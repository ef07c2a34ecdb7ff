/**
 * The scripts of the public pages, each the name of a file in this folder. The build makes one file
 * of each. `page-script` is for pages that need no other.
 */
export const publicScripts = [
  'page-script',
  'landing-script',
  'feedback-script',
  'api-reference-script',
] as const

export type PublicScript = (typeof publicScripts)[number]
