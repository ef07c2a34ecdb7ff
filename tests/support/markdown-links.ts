/** Returns the text of a Markdown document without its code blocks. */
export function getProse(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, '')
}

/** Returns the targets of relative links and images, in Markdown and HTML. */
export function listRelativeLinks(text: string): string[] {
  const prose = getProse(text)
  return [
    ...prose.matchAll(/\]\(([^)\s]+)\)/g),
    ...prose.matchAll(/(?:href|src|srcset)="([^"]+)"/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^(https?|mailto):/.test(target))
}
