import { resolve } from 'node:path'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { readConfig } from '../../src/server/config/config.ts'
import { makeTemplate, readBuilt } from '../../src/server/http/built-pages.ts'
import { createValueReader, getConditions } from '../../src/server/public-pages/page-values.ts'
import {
  type PublicCondition,
  type PublicPlaceholder,
  publicConditions,
  publicPlaceholders,
} from '../../src/shared/placeholders.ts'
import { type BuiltPage, builtPageFile } from '../../src/shared/public-pages.ts'
import { settingDefaults } from '../../src/shared/rules/tiers/admin-settings.ts'
import { defaultLimits } from '../../src/shared/rules/tiers/tier-limits.ts'

type Values = Partial<Record<PublicPlaceholder, string>>

/**
 * Returns a built page as a server with these environment variables sends it to visitors.
 * @param values replace the server's.
 */
export async function renderBuiltPage(
  name: BuiltPage,
  env: Record<string, string>,
  values: Values = {},
): Promise<string> {
  const config = readConfig(env)
  const currentSettings = { values: settingDefaults(config.supportEmail), limits: defaultLimits }
  const settings = { current: async () => currentSettings }
  const file = builtPageFile(name)
  const template = makeTemplate({
    file,
    html: readBuilt(resolve('dist/web'), file),
    placeholders: publicPlaceholders,
    conditions: publicConditions,
    isPartial: true,
  })
  const deps = { config, settings }
  const serverValues = await createValueReader(
    deps as unknown as Parameters<typeof createValueReader>[0],
  )()
  const page = template(['visitor', ...getConditions(config)])
  return page.fill({ ...serverValues, ...values })
}

/** Fills the document with a built page's content and an element for toasts. */
export function showBuiltPage(
  content: ReactNode,
  conditions: readonly PublicCondition[],
  values: Values = {},
): void {
  const template = makeTemplate({
    file: 'a page',
    html: renderToStaticMarkup(content),
    placeholders: publicPlaceholders,
    conditions: publicConditions,
    isPartial: true,
  })
  const noValues = Object.fromEntries(publicPlaceholders.map((name) => [name, '']))
  const page = template(conditions)
  document.body.innerHTML = `${page.fill({ ...noValues, ...values } as Record<PublicPlaceholder, string>)}<div id="toast" role="alert"></div>`
}
