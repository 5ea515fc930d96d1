package rpc

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The last elements of streams that failed.

const failedSummary = "The provider did not answer"

func failedDetail(rpc string, err error) string { return rpc + " failed: " + err.Error() }

func failed6(rpc string, err error) []*tfplugin.Diagnostic {
	return []*tfplugin.Diagnostic{{Severity: tfplugin.DiagnosticSeverityError, Summary: failedSummary, Detail: failedDetail(rpc, err)}}
}

func failedResult(err error) tfplugin.ListResourceResult {
	return tfplugin.ListResourceResult{Diagnostics: failed6("ListResource", err)}
}

func failedEvent(err error) tfplugin.InvokeActionEvent {
	return tfplugin.InvokeActionEvent{Type: tfplugin.CompletedInvokeActionEventType{Diagnostics: failed6("InvokeAction", err)}}
}

func failedChunk(err error) tfplugin.ReadStateByteChunk {
	return tfplugin.ReadStateByteChunk{Diagnostics: failed6("ReadStateBytes", err)}
}

func failed5(rpc string, err error) []*tfprotov5.Diagnostic {
	return []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityError, Summary: failedSummary, Detail: failedDetail(rpc, err)}}
}

func failedResult5(err error) tfprotov5.ListResourceResult {
	return tfprotov5.ListResourceResult{Diagnostics: failed5("ListResource", err)}
}

func failedEvent5(err error) tfprotov5.InvokeActionEvent {
	return tfprotov5.InvokeActionEvent{Type: tfprotov5.CompletedInvokeActionEventType{Diagnostics: failed5("InvokeAction", err)}}
}
