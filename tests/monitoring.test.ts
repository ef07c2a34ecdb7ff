import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openJobQueue } from '../src/server/jobs/job-queue.ts'
import { jobs } from '../src/server/jobs/jobs.ts'
import { recordRun } from '../src/server/jobs/queries.ts'
import { emailOutcomes, jobOutcomes } from '../src/server/metrics/metrics.ts'
import { transferDirections, transferOutcomes } from '../src/server/storage/transfers.ts'
import { errorTable } from '../src/shared/contract/errors.ts'
import { endpoints } from '../src/shared/contract/index.ts'
import { storageNames } from '../src/shared/rules/files/storage-name.ts'
import { scheduleJobs } from './support/check-lines.ts'
import { scrape } from './support/scrape.ts'
import { startTestApp, type TestApp } from './support/test-app.ts'

interface Dashboard {
  templating: { list: { name: string; type: string; query: string | { query: string } }[] }
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
const prometheusConfig: { scrape_configs: { job_name: string; honor_labels?: boolean }[] } = parse(
  await read('prometheus/prometheus.yml'),
)
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [`the panel "${title}"`, expr] as const),
)
const alerts = rules.groups.flatMap((group) =>
  group.rules.map(({ alert, expr }) => [`the alert ${alert}`, expr] as const),
)

/** Labels that every query may use: `le`, and the labels that Prometheus adds itself. */
const commonLabels = ['instance', 'job', 'le']

/**
 * The values that some metrics' labels can have, by metric and label. Listed here because not all
 * of them occur in this test.
 */
const declaredValues: Record<string, Record<string, readonly string[]>> = {
  mayfly_http_requests_total: {
    status: Array.from({ length: 500 }, (_, index) => String(100 + index)),
  },
  mayfly_http_request_duration_seconds: {
    route: [
      ...Object.values(endpoints).map(({ path }) => path),
      ...['upload', 'part'].map((kind) => `/storage/{${kind}}`),
    ],
  },
  mayfly_transfers_total: { direction: transferDirections, outcome: transferOutcomes },
  mayfly_job_duration_seconds: { job: jobs.map(({ name }) => name), outcome: jobOutcomes },
  mayfly_mails_total: { outcome: emailOutcomes },
  mayfly_storage_errors_total: { store: storageNames },
}

let app: TestApp
/** Every series that the server exports after each job has run once. */
let series: { name: string; labels: Record<string, string> }[]
/** Each metric's label names, by series name. */
let labelNamesBySeries: Map<string, string[]>
beforeAll(async () => {
  app = await startTestApp({ openQueue: openJobQueue })
  await scheduleJobs(app)
  for (const { name: job, run } of jobs) {
    const [startedAt, endedAt] = [app.clock(), app.clock()]
    await recordRun(app.deps.db, { job, startedAt, endedAt, result: await run(app.deps) })
  }
  series = Array.from((await scrape(app)).keys(), (text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    labels: Object.fromEntries(
      Array.from(text.matchAll(/(\w+)="([^"]*)"/g), ([, label, value]) => [label, value]),
    ),
  }))
  const metricsText = await (await fetch(`${app.url}/metrics`)).text()
  const declaredMetrics = Array.from(metricsText.matchAll(/^# TYPE (\w+) (\w+)$/gm))
  labelNamesBySeries = new Map(
    declaredMetrics.flatMap(([, name = '', type]) => {
      const metric = app.deps.metrics.registry.getSingleMetric(name)
      const { labelNames = [] } = metric as unknown as { labelNames?: string[] }
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      return suffixes.map((suffix): [string, string[]] => [`${name}${suffix}`, labelNames])
    }),
  )
})
afterAll(() => app.close())

interface Matcher {
  label: string
  pattern: RegExp
}

/** Returns true if the server can export a series that matches. */
function canBeEmitted(name: string, matchers: Matcher[]): boolean {
  const metric = name.replace(/_(bucket|sum|count)$/, '')
  const knownValues = declaredValues[name] ?? declaredValues[metric] ?? {}
  const [declaredMatchers, emittedMatchers] = [
    matchers.filter(({ label }) => knownValues[label]),
    matchers.filter(({ label }) => !knownValues[label]),
  ]
  return (
    declaredMatchers.every(({ label, pattern }) =>
      knownValues[label]?.some((value) => pattern.test(value)),
    ) &&
    (emittedMatchers.length === 0 ||
      series.some(
        (emittedSeries) =>
          emittedSeries.name === name &&
          emittedMatchers.every(({ label, pattern }) =>
            pattern.test(emittedSeries.labels[label] ?? ''),
          ),
      ))
  )
}

/**
 * Expands a selector into one list of matchers for each combination of its alternatives, such as
 * `a|b`. Treats negative matchers as positive, because the values they exclude must exist too.
 */
function expandSelector(selector: string): Matcher[][] {
  let combinations: Matcher[][] = [[]]
  const matcherMatches = selector.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)
  for (const [, label = '', operator = '', text = ''] of matcherMatches) {
    if (commonLabels.includes(label) && text.startsWith('$')) continue
    const isPattern = operator.endsWith('~')
    const alternatives = isPattern ? expandAlternatives(text) : [text.replaceAll(/\W/g, '\\$&')]
    combinations = combinations.flatMap((combination) =>
      alternatives.map((alternative) => [
        ...combination,
        { label, pattern: new RegExp(`^${alternative}$`) },
      ]),
    )
  }
  return combinations
}

/**
 * Expands the alternatives in a regular expression. For example, `/(a|b)` becomes `/a` and `/b`.
 */
function expandAlternatives(pattern: string): string[] {
  const [, before = '', group, after = ''] = /^(.*?)\(([^()]*)\)(.*)$/.exec(pattern) ?? []
  if (group === undefined) return pattern.split('|')
  return group
    .split('|')
    .flatMap((alternative) => expandAlternatives(`${before}${alternative}${after}`))
}

/** Returns each metric in a PromQL expression, with the labels used in its selector. */
function listSelectors(expression: string): { name: string; labels: string[]; selector: string }[] {
  const metrics = expression.matchAll(/\b((?:mayfly|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)
  const groupLabels = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, names = '']) =>
    names.split(/, */),
  ).flat()
  return Array.from(metrics, ([, name = '', selector = '']) => ({
    name,
    selector,
    labels: [
      ...Array.from(selector.matchAll(/(\w+)[!=]/g), ([, label = '']) => label),
      ...groupLabels,
    ],
  }))
}

describe('the example dashboard and the alert rules', () => {
  test.each([...panels, ...alerts])('%s queries existing metrics', (source, expression) => {
    const selectors = listSelectors(expression)
    if (!/ Mayfly(Down|NotScraped)$/.test(source)) expect(selectors).not.toEqual([])
    for (const { name, labels, selector } of selectors) {
      const knownLabels = labelNamesBySeries.get(name)
      expect(knownLabels, `${name} is not emitted`).toBeDefined()
      expect([...commonLabels, ...(knownLabels ?? [])]).toEqual(expect.arrayContaining(labels))
      for (const matchers of expandSelector(selector)) {
        const selector = matchers.map(({ label, pattern }) => `${label} ${pattern}`).join(', ')
        expect(canBeEmitted(name, matchers), `no series ${name} has ${selector}`).toBe(true)
      }
    }
  })

  test('select servers by an existing label', () => {
    const variableQueries = dashboard.templating.list
      .filter(({ type }) => type === 'query')
      .map(({ query }) => (typeof query === 'string' ? query : query.query))
    expect(variableQueries).not.toEqual([])
    for (const query of variableQueries) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
      expect([...commonLabels, ...(labelNamesBySeries.get(metric) ?? [])], query).toContain(label)
      expect(labelNamesBySeries.has(metric), `${metric} is not emitted`).toBe(true)
    }
  })

  test('use the job label of the scrape example, which honors our labels', () => {
    const jobNames = alerts.flatMap(([, expr]) =>
      Array.from(expr.matchAll(/\bup\{job="([^"]*)"\}/g), ([, job]) => job),
    )
    expect(jobNames.length).toBeGreaterThan(1)
    expect(prometheusConfig.scrape_configs).toHaveLength(1)
    for (const { job_name, honor_labels } of prometheusConfig.scrape_configs) {
      expect([...new Set(jobNames)]).toEqual([job_name])
      expect(honor_labels).toBe(true)
    }
    expect(alerts.map(([, expr]) => expr)).toContain(`absent(up{job="${jobNames[0]}"})`)
  })

  test('count no rejections as errors, and alert on each kind of rejection', () => {
    const listCountedStatuses = (alert: string) => {
      const [, expression = ''] = alerts.find(([name]) => name === `the alert ${alert}`) ?? []
      const [, matchers = ''] = /mayfly_http_requests_total\{([^}]*)\}/.exec(expression) ?? []
      const statusMatchers = Array.from(matchers.matchAll(/status(=~|!=|=)"([^"]*)"/g))
      return [...new Set(Object.values(errorTable).map(({ status }) => status))].filter((status) =>
        statusMatchers.every(
          ([, operator, text]) => new RegExp(`^${text}$`).test(`${status}`) === (operator !== '!='),
        ),
      )
    }
    const alertNames = ['MayflyErrors', 'MayflyOverrun', 'MayflyNoRoom']
    expect(alertNames.map(listCountedStatuses)).toEqual([[500], [503], [507]])
  })

  test('watch each job, allowing more time for rare and long ones', () => {
    const jobAlerts = alerts.filter(([, expr]) => expr.includes('last_success_timestamp_seconds{'))
    const timeLimits = jobAlerts.map(([, expr]) => {
      const [, operator, names = '', seconds] =
        /\{job(=~|!~)"([^"]*)"\}\)+ > (\d+)$/.exec(expr) ?? []
      const isWatched = (job: string) => names.split('|').includes(job) === (operator === '=~')
      return { watched: jobs.map(({ name }) => name as string).filter(isWatched), seconds }
    })
    expect(timeLimits).toEqual([
      { watched: expect.arrayContaining(['expire-files', 'sweep-uploads']), seconds: '1800' },
      { watched: ['compute-digests'], seconds: '43200' },
      { watched: ['compare-storage', 'remove-old-days'], seconds: '180000' },
    ])
    const watchedLimits = timeLimits.flatMap((timeLimit) => timeLimit.watched)
    expect(watchedLimits.toSorted()).toEqual(jobs.map(({ name }) => name).toSorted())
  })

  test('cover every Mayfly metric', () => {
    const selectors = [...panels, ...alerts].flatMap(([, expr]) =>
      listSelectors(expr).map(({ name }) => name),
    )
    const ownRegistry = app.deps.metrics.registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .filter((name) => name.startsWith('mayfly_'))
    expect(
      ownRegistry.filter((name) => !selectors.some((selector) => selector.startsWith(name))),
    ).toEqual([])
  })

  test('are documented, as is every metric', async () => {
    const guide = await readFile(new URL('../docs/operations.md', import.meta.url), 'utf8')
    const [section = ''] = /^## Metrics$.*?^## /ms.exec(guide) ?? []
    for (const { name } of app.deps.metrics.registry.getMetricsAsArray()) {
      if (name.startsWith('mayfly_')) expect(section).toContain(`\`${name}\``)
    }
  })
})
