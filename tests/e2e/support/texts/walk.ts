import type { Locator, Page } from '@playwright/test'
import type { Stage } from '../stage.ts'

/** A part of a walk through the product, and the literal texts of the specification there. */
export interface Stop {
  /** The screen, or what the person does. */
  at: string
  /** Goes there, or does it. */
  go: (stage: Stage) => Promise<unknown>
  /** What is shown then, and where. */
  shows?: [where: (page: Page) => Locator, texts: (string | RegExp)[]][]
  /** What is told for some seconds, in toasts. */
  tells?: string[]
}

export function banner(page: Page) {
  return page.getByRole('banner')
}

export function main(page: Page) {
  return page.getByRole('main')
}

// A toast counts as a dialog too, but cannot be cancelled.
export function dialog(page: Page): Locator {
  return page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Cancel' }) })
}

export function question(page: Page) {
  return page.getByRole('alertdialog')
}

/** Opens a page of the server. */
export function open(path: string) {
  return ({ page }: Stage) => page.goto(path)
}

/** Presses a button. */
export function press(name: string | RegExp, where: (page: Page) => Locator = main) {
  return ({ page }: Stage) => where(page).getByRole('button', { name }).first().click()
}

/** Selects a tab of the dashboard. */
export function tab(name: string) {
  return ({ page }: Stage) => page.getByRole('tab', { name }).click()
}

/** Fills in fields by their labels, and presses a button. */
export function send(fields: Record<string, string>, button: string, where = main) {
  return async (stage: Stage) => {
    for (const [label, text] of Object.entries(fields)) {
      await where(stage.page).getByLabel(label, { exact: true }).fill(text)
    }
    await press(button, where)(stage)
  }
}

/** Does something whose calls the server answers with 500 and without a word, from now on. */
export function failing(calls: RegExp, go: Stop['go']) {
  return async (stage: Stage) => {
    stage.noise.expect(/500 \(Internal Server Error\)/)
    await stage.page.route(calls, (route) => route.fulfill({ status: 500, body: '' }))
    await go(stage)
  }
}

/**
 * Does something whose call is answered with 400 once. The answer comes from something else than the
 * server, such as a proxy, so it has no message for people.
 */
export function refused(call: RegExp, go: Stop['go'], body = '') {
  return async (stage: Stage) => {
    stage.noise.expect(/400 \(Bad Request\)/)
    await stage.page.route(call, (route) => route.fulfill({ status: 400, body }), { times: 1 })
    await go(stage)
  }
}

/** Does something whose call the server answers with this message. */
export function answered(call: RegExp, message: string, go: Stop['go']) {
  return async (stage: Stage) => {
    await stage.page.route(call, (route) => route.fulfill({ json: { message } }))
    await go(stage)
    await stage.page.unroute(call)
  }
}

/** Chooses a file to upload on the dashboard. */
export async function chooseFile({ page }: Stage, file: Parameters<Locator['setInputFiles']>[0]) {
  await page.getByLabel('Files to upload').setInputFiles(file)
}
