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
    const accent = getComputedStyle(probe).backgroundColor
    probe.remove()
    // Excludes the skip link, switches and selectable choices.
    const actions = 'a:not([href="#content"]), button:not([role])'
    return [...document.querySelectorAll<HTMLElement>(actions)]
      .filter((button) => getComputedStyle(button).backgroundColor === accent)
      .filter(
        (button) => button.checkVisibility() && !button.closest('[inert], [aria-hidden=true]'),
      )
      .map((button) => button.textContent.trim())
  })
}
