package rpc

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The last elements of streams that broke.

const brokeSummary = "The provider did not answer"

func brokeDetail(rpc string, err error) string { return rpc + " failed: " + err.Error() }

func broke(rpc string, err error) []*tfplugin.Diagnostic {
	return []*tfplugin.Diagnostic{{Severity: tfplugin.DiagnosticSeverityError, Summary: brokeSummary, Detail: brokeDetail(rpc, err)}}
}

func failedResult(err error) tfplugin.ListResourceResult {
	return tfplugin.ListResourceResult{Diagnostics: broke("ListResource", err)}
}

func failedEvent(err error) tfplugin.InvokeActionEvent {
	return tfplugin.InvokeActionEvent{Type: tfplugin.CompletedInvokeActionEventType{Diagnostics: broke("InvokeAction", err)}}
}

func failedChunk(err error) tfplugin.ReadStateByteChunk {
	return tfplugin.ReadStateByteChunk{Diagnostics: broke("ReadStateBytes", err)}
}

func broke5(rpc string, err error) []*tfprotov5.Diagnostic {
	return []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityError, Summary: brokeSummary, Detail: brokeDetail(rpc, err)}}
}

func failedResult5(err error) tfprotov5.ListResourceResult {
	return tfprotov5.ListResourceResult{Diagnostics: broke5("ListResource", err)}
}

func failedEvent5(err error) tfprotov5.InvokeActionEvent {
	return tfprotov5.InvokeActionEvent{Type: tfprotov5.CompletedInvokeActionEventType{Diagnostics: broke5("InvokeAction", err)}}
}
