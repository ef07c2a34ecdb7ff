import type { Page } from '@playwright/test'

/** Returns the texts of the buttons and links that the shown toast covers, even in part. */
export function coveredByToast(page: Page): Promise<string[]> {
  return page.getByRole('region', { name: 'Notifications' }).evaluate((region) => {
    const toast = region.getBoundingClientRect()
    if (toast.height === 0) throw new Error('No toast is shown.')
    const covers = (one: Element) => {
      const { left, right, top, bottom } = one.getBoundingClientRect()
      return left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top
    }
    return [...document.querySelectorAll('a, button')]
      .filter((one) => one.checkVisibility() && !region.contains(one) && covers(one))
      .map((one) => one.textContent)
  })
}
