import type { Page } from '@playwright/test'

/**
 * Returns the labels of all buttons and links styled as the main action. If a dialog is open,
 * searches only the dialog.
 */
export function mainActions(page: Page): Promise<string[]> {
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
