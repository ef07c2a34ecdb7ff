import { expect, it } from 'vitest'
import { callGroups, groupOf } from './call-groups.ts'
import { type EndpointName, endpoints } from './index.ts'

it('has every call of the contract once', () => {
  const grouped = callGroups.flatMap(({ names }) => names)
  expect(grouped.toSorted()).toEqual((Object.keys(endpoints) as EndpointName[]).toSorted())
})

it('keeps the calls for the administrator together, and no others with them', () => {
  for (const [name, { access }] of Object.entries(endpoints)) {
    expect(groupOf(name as EndpointName) === 'Administration').toBe(access === 'admin')
  }
})
