declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUI(options: {
    url: string
    dom_id: string
    validatorUrl: string | null
    deepLinking: boolean
    defaultModelRendering: 'example' | 'model'
  }): void
}
