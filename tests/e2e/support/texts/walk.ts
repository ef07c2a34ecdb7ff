import type { Locator, Page } from '@playwright/test'
import type { Stage } from '../stage.ts'
import type { ToastTexts } from '../told-texts.ts'

/**
 * One stop on a walk through the product. It names the texts that must appear there word for word:
 * those of the specification, and others.
 */
export interface Stop {
  /** Names the stop in the report of the test: the screen, or what the person does. */
  at: string
  /** Opens the screen, or does what the person does. */
  go: (stage: Stage) => Promise<unknown>
  /** The texts that the page must show after `go`, and the part of the page that must show them. */
  shows?: [where: (page: Page) => Locator, texts: (string | RegExp)[]][]
  /** The toast that must have appeared since the stop began. */
  toast?: ToastTexts
  /** Other texts that must have appeared since the stop began, even if only for a moment. */
  tells?: string[]
}

export function banner(page: Page) {
  return page.getByRole('banner')
}

export function main(page: Page) {
  return page.getByRole('main')
}

// A toast has the role dialog too. Only a real dialog has a button Cancel.
export function dialog(page: Page): Locator {
  return page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Cancel' }) })
}

export function question(page: Page) {
  return page.getByRole('alertdialog')
}

/** Returns a step that opens this path of the server. */
export function open(path: string) {
  return ({ page }: Stage) => page.goto(path)
}

/** Returns a step that presses the first button with this name. */
export function press(name: string | RegExp, where: (page: Page) => Locator = main) {
  return ({ page }: Stage) => where(page).getByRole('button', { name }).first().click()
}

/** Returns a step that selects a tab of the dashboard. */
export function tab(name: string) {
  return ({ page }: Stage) => page.getByRole('tab', { name }).click()
}

/** Returns a step that fills in fields by their labels, and presses a button. */
export function send(fields: Record<string, string>, button: string, where = main) {
  return async (stage: Stage) => {
    for (const [label, text] of Object.entries(fields)) {
      await where(stage.page).getByLabel(label, { exact: true }).fill(text)
    }
    await press(button, where)(stage)
  }
}

/**
 * Returns a step that does `go`. From now on, every request whose URL matches `calls` is answered
 * with 500 and an empty body.
 */
export function failing(calls: RegExp, go: Stop['go']) {
  return async (stage: Stage) => {
    stage.noise.expect(/500 \(Internal Server Error\)/)
    await stage.page.route(calls, (route) => route.fulfill({ status: 500, body: '' }))
    await go(stage)
  }
}

/**
 * Returns a step that does `go`. The first request whose URL matches `call` is answered with 400
 * and `body`, as a proxy would answer. Such a body has no message of our server for people.
 */
export function refused(call: RegExp, go: Stop['go'], body = '') {
  return async (stage: Stage) => {
    stage.noise.expect(/400 \(Bad Request\)/)
    await stage.page.route(call, (route) => route.fulfill({ status: 400, body }), { times: 1 })
    await go(stage)
  }
}

/**
 * Returns a step that does `go`. Meanwhile every request whose URL matches `call` succeeds, and the
 * answer contains `message`.
 */
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
