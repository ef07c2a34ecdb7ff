import type { Page } from '@playwright/test'

/**
 * Returns the texts of the buttons and links of the open page that look like its main action. While
 * a dialog is open, those behind it do not count.
 */
export function mainActions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const probe = document.createElement('i')
    probe.style.backgroundColor = 'var(--accent)'
    document.body.append(probe)
    const accent = getComputedStyle(probe).backgroundColor
    probe.remove()
    // The skip link is no action, and a switch or a choice that is on has the same colour.
    const actions = 'a:not([href="#content"]), button:not([role])'
    return [...document.querySelectorAll<HTMLElement>(actions)]
      .filter((button) => getComputedStyle(button).backgroundColor === accent)
      .filter(
        (button) => button.checkVisibility() && !button.closest('[inert], [aria-hidden=true]'),
      )
      .map((button) => button.textContent.trim())
  })
}
