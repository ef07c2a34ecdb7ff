import type { Locator, Page } from '@playwright/test'
import type { ScreenContext } from '../open-screens.ts'
import type { ToastTexts } from '../page-texts.ts'

/** A step in a walk through the product. Its texts must appear verbatim. */
export interface WalkStep {
  /** The step's name in the report. */
  at: string
  perform: (context: ScreenContext) => Promise<unknown>
  /** The texts that must be visible after `perform`, and where. */
  expectedTexts?: [where: (page: Page) => Locator, texts: (string | RegExp)[]][]
  toast?: ToastTexts
  /** Other texts that are required to appear at some point, even if only briefly. */
  otherTexts?: string[]
}

export function banner(page: Page) {
  return page.getByRole('banner')
}

export function main(page: Page) {
  return page.getByRole('main')
}

// Toasts are dialogs too, but have no Cancel button.
export function dialog(page: Page): Locator {
  return page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Cancel' }) })
}

export function alertDialog(page: Page) {
  return page.getByRole('alertdialog')
}

export function open(path: string) {
  return ({ page }: ScreenContext) => page.goto(path)
}

export function pressButton(name: string | RegExp, region: (page: Page) => Locator = main) {
  return ({ page }: ScreenContext) => region(page).getByRole('button', { name }).first().click()
}

export function tab(name: string) {
  return ({ page }: ScreenContext) => page.getByRole('tab', { name }).click()
}

export function submitForm(fields: Record<string, string>, button: string, region = main) {
  return async (context: ScreenContext) => {
    for (const [label, text] of Object.entries(fields)) {
      await region(context.page).getByLabel(label, { exact: true }).fill(text)
    }
    await pressButton(button, region)(context)
  }
}

/**
 * Runs `perform` while requests that match `callPattern` fail with an empty 500 response. They
 * continue to fail afterwards.
 */
export function withServerError(callPattern: RegExp, perform: WalkStep['perform']) {
  return async (context: ScreenContext) => {
    context.errors.expect(/500 \(Internal Server Error\)/)
    await context.page.route(callPattern, (route) => route.fulfill({ status: 500, body: '' }))
    await perform(context)
  }
}

/**
 * Runs `perform`. The first request that matches `callPattern` fails with 400 and `body`, as if a
 * proxy had rejected it.
 */
export function withBadRequest(callPattern: RegExp, perform: WalkStep['perform'], body = '') {
  return async (context: ScreenContext) => {
    context.errors.expect(/400 \(Bad Request\)/)
    await context.page.route(callPattern, (route) => route.fulfill({ status: 400, body }), {
      times: 1,
    })
    await perform(context)
  }
}

/** Runs `perform` while requests that match `callPattern` succeed with `message`. */
export function withResponse(callPattern: RegExp, message: string, perform: WalkStep['perform']) {
  return async (context: ScreenContext) => {
    await context.page.route(callPattern, (route) => route.fulfill({ json: { message } }))
    await perform(context)
    await context.page.unroute(callPattern)
  }
}

export async function chooseFile(
  { page }: ScreenContext,
  file: Parameters<Locator['setInputFiles']>[0],
) {
  await page.getByLabel('Files to upload').setInputFiles(file)
}
