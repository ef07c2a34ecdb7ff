import type { Page } from '@playwright/test'
import type { TestApp } from '../../support/app-server.ts'
import type { Noise } from './noise.ts'

/** What opens a screen: see `screens.ts`. */
export interface Stage {
  app: TestApp
  page: Page
  noise: Noise
  folder: string
}

/** Screens by their names, each with the steps that open it. */
export type Screens = Readonly<Record<string, (stage: Stage) => Promise<void>>>
