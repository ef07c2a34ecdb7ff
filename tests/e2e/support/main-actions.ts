import type { Page } from '@playwright/test'

/**
 * Returns the labels of all buttons and links that are styled as the main action. Searches only the
 * dialog if one is open.
 */
export function findMainActions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const probe = document.createElement('i')
    probe.style.backgroundColor = 'var(--accent)'
    document.body.append(probe)
    const accentColor = getComputedStyle(probe).backgroundColor
    probe.remove()
    // Excludes the skip link, switches and selectable choices.
    const actionSelector = 'a:not([href="#content"]), button:not([role])'
    // Everything outside of a native dialog is inert.
    const root = document.querySelector('dialog:modal') ?? document
    return [...root.querySelectorAll<HTMLElement>(actionSelector)]
      .filter((button) => getComputedStyle(button).backgroundColor === accentColor)
      .filter(
        (button) => button.checkVisibility() && !button.closest('[inert], [aria-hidden=true]'),
      )
      .map((button) => button.textContent.trim())
  })
}
