const place = document.querySelector('#reference');
const { apiKey, actor, encryptionCode } = place.dataset;

Scalar.createApiReference(place, {
  url: '/openapi.json',
  // The first call needs only one click, because the demo credentials are filled in.
  authentication: {
    preferredSecurityScheme: [['apiKey', 'actor']],
    securitySchemes: {
      apiKey: { token: apiKey },
      actor: { value: actor },
      encryptionCode: { value: encryptionCode },
    },
  },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: [],
  // Nothing is loaded from other servers, and nothing is sent to them.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
});
