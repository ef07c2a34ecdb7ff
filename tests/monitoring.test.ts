import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTestApp, type TestApp } from './support/test-app.ts'

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[]
}
interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
}

function read(path: string): Promise<string> {
  return readFile(new URL(`../deploy/${path}`, import.meta.url), 'utf8')
}

const dashboard: Dashboard = JSON.parse(await read('grafana/mayfly.json'))
const rules: Rules = parse(await read('prometheus/alerts.yml'))
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [`the panel "${title}"`, expr] as const),
)
const alerts = rules.groups.flatMap((group) =>
  group.rules.map(({ alert, expr }) => [`the alert ${alert}`, expr] as const),
)

/** Labels that Prometheus or several workers add, and the one of the buckets of a histogram. */
const everywhere = ['instance', 'worker', 'job', 'le']

let app: TestApp
/** The labels of each metric that the server emits, by every name that its series have. */
let emitted: Map<string, string[]>
beforeAll(async () => {
  app = await startTestApp()
  const scraped = await (await fetch(`${app.url}/metrics`)).text()
  const declared = Array.from(scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm))
  emitted = new Map(
    declared.flatMap(([, name = '', type]) => {
      const metric = app.deps.metrics.registry.getSingleMetric(name)
      const { labelNames = [] } = metric as unknown as { labelNames?: string[] }
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      return suffixes.map((suffix): [string, string[]] => [`${name}${suffix}`, labelNames])
    }),
  )
})
afterAll(() => app.close())

/** Returns each metric of an expression with the labels that the expression asks of it. */
function askedOf(expression: string): { name: string; labels: string[] }[] {
  const metrics = expression.matchAll(/\b((?:mayfly|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)
  const grouped = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, names = '']) =>
    names.split(/, */),
  ).flat()
  return Array.from(metrics, ([, name = '', selector = '']) => ({
    name,
    labels: [...Array.from(selector.matchAll(/(\w+)[!=]/g), ([, label = '']) => label), ...grouped],
  }))
}

describe('the example dashboard and the alert rules', () => {
  test.each([...panels, ...alerts])('%s asks for what the server emits', (where, expression) => {
    const asked = askedOf(expression)
    if (where !== 'the alert MayflyDown') expect(asked).not.toEqual([])
    for (const { name, labels } of asked) {
      const known = emitted.get(name)
      expect(known, `${name} is not emitted`).toBeDefined()
      expect([...everywhere, ...(known ?? [])]).toEqual(expect.arrayContaining(labels))
    }
  })

  test('show and watch every metric of our own', () => {
    const asked = [...panels, ...alerts].flatMap(([, expr]) =>
      askedOf(expr).map(({ name }) => name),
    )
    const own = app.deps.metrics.registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('mayfly_'))
    expect(own.filter((name) => !asked.some((one) => one.startsWith(name)))).toEqual([])
  })

  test('are told in the documentation, and no metric is left out there', async () => {
    const page = await readFile(new URL('../docs/operations.md', import.meta.url), 'utf8')
    const [section = ''] = /^## Metrics$.*?^## /ms.exec(page) ?? []
    for (const { name } of app.deps.metrics.registry.getMetricsAsArray()) {
      if (name.startsWith('mayfly_')) expect(section).toContain(`\`${name}\``)
    }
  })
})
