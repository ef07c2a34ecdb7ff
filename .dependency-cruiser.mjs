/**
 * Which module may import which (docs/architecture.md). Run by `npm run check` as `depcruise src`.
 */
const serverFeatures =
  '^src/server/(auth|uploads|files|downloads|tiers|analytics|branding|settings|feedback|abuse|public-pages)/'
const webFeatures =
  '^src/web/(auth|uploads|files|downloads|tiers|analytics|branding|settings|feedback|public-pages|requests|admin)/'
const webShell = '^src/web/(pages/|routes[.]tsx$|main[.]tsx$)'

/** Web files that other features may use. */
const sharedBetweenWebFeatures = [
  'auth/(account-fields|use-auth-form|user-avatar)',
  'downloads/page-frame',
  'files/(copy-links|kind-icon|lifeline|link-dates|link-receipt|listed-link|manager/use-preferences|qr-dialog|use-links)',
  'tiers/upgrade-card',
  'uploads/(add-files|kept|picking|panel|records|transfer|browser-uploads|upload-errors|uploads-state)',
].map((path) => `^src/web/${path}`)

function forbid(name, comment, from, to) {
  return { name, comment, severity: 'error', from, to }
}

export default {
  forbidden: [
    forbid(
      'no-cycles',
      'Modules that import each other cannot be understood one by one.',
      {},
      { circular: true },
    ),
    forbid(
      'source-imports-no-tools',
      'The product does not depend on its tests, scripts or benchmarks.',
      { path: '^src/' },
      { path: '^(tests|scripts|bench)/' },
    ),
    forbid(
      'shared-runs-anywhere',
      'src/shared runs in browser and server: of all packages it imports only zod.',
      { path: '^src/shared/' },
      { pathNot: ['^src/shared/', '^node_modules/zod/'] },
    ),
    forbid(
      'rules-are-pure',
      "A rule imports other rules and the contract's error codes.",
      { path: '^src/shared/rules/' },
      { pathNot: ['^src/shared/rules/', '^src/shared/contract/errors[.]ts$'] },
    ),
    forbid(
      'server-imports-no-web',
      'Server and web share src/shared and nothing else.',
      { path: '^src/server/' },
      { path: ['^src/web/', '^node_modules/react(-dom)?/'] },
    ),
    forbid(
      'web-imports-no-server',
      'Server and web share src/shared and nothing else.',
      { path: '^src/web/' },
      { path: '^src/server/' },
    ),
    forbid(
      'client-is-one-file',
      'The command line client runs without packages and outside of a page.',
      { path: '^src/cli/' },
      {
        path: ['^src/server/', '^node_modules/', '^src/web/'],
        pathNot: '^src/web/(api/call|uploads/)',
      },
    ),
    forbid(
      'nothing-imports-the-client',
      'Server and web share src/shared and nothing else.',
      { path: '^src/(server|shared|web)/' },
      { path: '^src/cli/' },
    ),
    forbid(
      'infrastructure-imports-no-feature',
      'Features build on infrastructure, not the other way round.',
      {
        path: '^src/server/(backup|config|db|email|http|logging|metrics|space|storage)/',
      },
      {
        path: [
          serverFeatures,
          '^src/server/(account-deletion|admin|jobs|boot)/',
          '^src/server/(app|main)[.]ts$',
        ],
      },
    ),
    forbid(
      'features-share-queries',
      "A feature imports another feature's queries, not its use cases.",
      { path: serverFeatures },
      { path: serverFeatures, pathNot: ['^src/server/$1/', 'queries[.]ts$'] },
    ),
    forbid(
      'features-import-no-assembly',
      'Account deletion, admin, jobs and boot put features together.',
      { path: serverFeatures },
      { path: ['^src/server/(account-deletion|admin|jobs|boot)/', '^src/server/(app|main)[.]ts$'] },
    ),
    forbid(
      'web-features-are-separate',
      'A web feature uses only what another one shares.',
      { path: webFeatures },
      { path: webFeatures, pathNot: ['^src/web/$1/', ...sharedBetweenWebFeatures] },
    ),
    forbid(
      'pages-put-features-together',
      'Pages and routes import features, not the other way round.',
      { path: '^src/web/', pathNot: webShell },
      { path: webShell },
    ),
    forbid(
      'ui-knows-no-product',
      'Buttons, dialogs and charts know nothing of files and links.',
      { path: '^src/web/(ui|charts|api)/' },
      { path: webFeatures },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Tests may reach anything.
    exclude: { path: '[.](test|suite)[.]tsx?$' },
  },
}
